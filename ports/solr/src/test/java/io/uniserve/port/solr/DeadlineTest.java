package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Solr stops searching when the query's time is over, and tells no part of an answer. */
class DeadlineTest {
    private static final int DOCUMENTS = 8000;
    /** Compares each document's text with another, which for all of them takes far more than a millisecond. */
    private static final String LONG =
            "q={!func}strdist(\"%s\",text_s,edit)&rows=3&fl=id,text_s".formatted("the quick brown fox ".repeat(5));

    private static final long MILLI = 1_000_000;

    @TempDir
    Path directory;

    private EngineInstance instance;
    private LocalTable table;

    @BeforeEach
    void fill() {
        SolrEngine engine = new SolrEngine();
        instance = LocalTable.open(engine, directory);
        table = new LocalTable(engine, instance, directory, 2);
        table.add(IntStream.range(0, DOCUMENTS)
                .mapToObj(i ->
                        new Document("id", Map.of("id", "d" + i, "text_s", "jumps over the lazy dog ".repeat(4) + i)))
                .toList());
    }

    @AfterEach
    void close() {
        instance.close();
    }

    private static void stops(Supplier<String> query) {
        assertThatThrownBy(query::get)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED));
    }

    /** On a thread that serves nothing else. */
    @Test
    void anActorAskedByItselfStops() {
        table.remaining(MILLI);
        stops(() -> table.query(0, LONG));
        table.remaining(60_000 * MILLI);
        assertThat(table.query(0, LONG)).contains("\"numFound\":");
    }

    /** On the planner's thread, where Solr would take the planner's limits for the actor's. */
    @Test
    void anActorThatIsAskedOnThePlannersThreadStops() {
        table.remaining(MILLI);
        for (String more :
                List.of("", "&facet=true&facet.field=text_s&facet.limit=2", "&group=true&group.field=text_s")) {
            stops(() -> table.query(LONG + more));
        }
        table.remaining(60_000 * MILLI);
        assertThat(table.query(LONG)).contains("\"numFound\":" + DOCUMENTS);
    }
}
