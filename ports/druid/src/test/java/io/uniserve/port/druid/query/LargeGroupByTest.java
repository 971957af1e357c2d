package io.uniserve.port.druid.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.port.druid.runtime.DruidServices;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A groupBy of more groups than its buffer holds uses files, or fails once these are full; other queries are answered afterwards. */
class LargeGroupByTest {
    private static final int ROWS = 3_000;
    private static final long TIME = 1_704_067_200_000L;

    private static LocalActors actors;

    @BeforeAll
    static void load(@TempDir Path directory) throws Exception {
        List<Document> rows = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            rows.add(new Document("id", Map.of("id", "k" + i, "ts", TIME + i, "s", "s" + i, "m", 1L)));
        }
        actors = new LocalActors(directory)
                .with(DruidParityTest.meta("one", new Partitioner.Hash(2))
                        .with(Map.of("dataSchema", RandomNativeQueries.SCHEMA)))
                .append("one", rows, ROWS);
    }

    @AfterAll
    static void close() {
        actors.close();
    }

    private static int groups(String context) throws Exception {
        String answer = actors.answer(
                "one",
                "{\"queryType\": \"groupBy\", \"dataSource\": \"one\", \"granularity\": \"all\", \"intervals\":"
                        + " \"2024-01-01/2025-01-01\", \"dimensions\": [\"id\", \"s\"], \"aggregations\": [{\"type\":"
                        + " \"count\", \"name\": \"n\"}], \"context\": {" + context + "}}");
        return DruidServices.get().json().readTree(answer).size();
    }

    @Test
    void groupsBeyondTheBufferGoToFiles() throws Exception {
        assertThat(groups("\"bufferGrouperMaxSize\": 100")).isEqualTo(ROWS);
    }

    @Test
    void groupsBeyondTheFilesAreRefused() throws Exception {
        for (String limit : List.of("\"maxOnDiskStorage\": 0", "\"maxOnDiskStorage\": 1000")) {
            assertThatThrownBy(() -> groups("\"bufferGrouperMaxSize\": 100, " + limit))
                    .isInstanceOfSatisfying(
                            UniserveException.class,
                            e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.TOO_LARGE));
            assertThat(groups("")).isEqualTo(ROWS);
        }
    }

    @Test
    void limitsOfTheQueryDoNotRaiseThoseOfTheServer() throws Exception {
        assertThat(groups("\"maxOnDiskStorage\": 1000000000000")).isEqualTo(ROWS);
    }
}
