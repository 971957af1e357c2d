package io.uniserve.port.druid.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Document;
import io.uniserve.model.Partitioner;
import io.uniserve.port.druid.TestingDruidContext;
import io.uniserve.port.druid.runtime.DruidServices;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.druid.query.Query;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Actors report the rows of a query's intervals, which the placement of chunks predicts loads from. */
class RowsScannedTest {
    private static final long DAY_MS = 86_400_000L;
    private static final long FIRST_MS = 1_704_067_200_000L;
    private static final int DAYS = 10;
    private static final int ROWS_PER_DAY = 24;

    private static LocalActors actors;

    @BeforeAll
    static void load(@TempDir Path directory) throws Exception {
        List<Document> rows = new ArrayList<>();
        for (int i = 0; i < DAYS * ROWS_PER_DAY; i++) {
            rows.add(new Document("id", Map.of("id", "k" + i, "ts", FIRST_MS + i * DAY_MS / ROWS_PER_DAY, "m", 1L)));
        }
        actors = new LocalActors(directory)
                .with(DruidParityTest.meta("one", new Partitioner.Hash(1))
                        .with(Map.of("dataSchema", RandomNativeQueries.SCHEMA, "maxRowsInMemory", "100")))
                .append("one", rows, 50);
    }

    @AfterAll
    static void close() {
        actors.close();
    }

    private static final class Reported extends TestingDruidContext {
        private long rows = -1;

        @Override
        public void reportRowsScanned(long scanned) {
            rows = scanned;
        }
    }

    private static long reported(String type, String interval) throws Exception {
        Query<?> query = DruidServices.get()
                .json()
                .readValue(
                        "{\"queryType\": \"" + type
                                + "\", \"dataSource\": \"one\", \"granularity\": \"all\", \"intervals\": \"" + interval
                                + "\", \"aggregations\": [{\"type\": \"count\", \"name\": \"n\"}]}",
                        Query.class);
        Reported context = new Reported();
        ActorQueryRunner.RESULTS.retrieve(actors.actors("one").get(0), context, new SegmentQuery<>(query));
        return context.rows;
    }

    @Test
    void rowsOfTheIntervals() throws Exception {
        assertThat(reported("timeseries", "2024-01-01/2024-02-01")).isEqualTo(DAYS * ROWS_PER_DAY);
        assertThat(reported("timeseries", "2023-01-01/2023-02-01")).isZero();
        assertThat(reported("timeseries", "2024-01-03/2024-01-04")).isBetween(ROWS_PER_DAY - 5L, ROWS_PER_DAY + 5L);
        assertThat(reported("timeBoundary", "2024-01-01/2024-02-01")).isZero();
    }
}
