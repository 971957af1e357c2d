package io.uniserve.cli.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.client.TableUpdate;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Rows that are invalid, do not fit the schema or are too large: nothing is logged. */
@ExtendWith(BadInputCluster.Shared.class)
class RowsIT {
    private final BadInputCluster bad;

    @TempDir
    private Path directory;

    RowsIT(BadInputCluster bad) {
        this.bad = bad;
    }

    private static Map<String, @Nullable Object> row(@Nullable Object... pairs) {
        Map<String, @Nullable Object> row = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            row.put(String.valueOf(pairs[i]), pairs[i + 1]);
        }
        return row;
    }

    private TableUpdate<?> update(String table, String function, List<Map<String, @Nullable Object>> rows) {
        return bad.client.table(table).updateDocuments(function, rows);
    }

    private void refusedRow(String table, String function, Map<String, @Nullable Object> row, String... words) {
        bad.refused(
                ErrorCode.INVALID_ROW,
                () -> update(table, function, List.of(row)).run().orThrow(),
                words);
    }

    @Test
    void documentsThatDoNotFitTheSchemaOfSolr() {
        refusedRow("docs", "solr.add@1", row("title", "no key"), "id");
        refusedRow("docs", "solr.add@1", row("id", null), "id");
        refusedRow("docs", "solr.add@1", row("id", ""), "id");
        refusedRow("docs", "solr.add@1", row("id", true), "id");
        refusedRow("docs", "solr.add@1", row("id", List.of(7L)), "id");
        refusedRow("docs", "solr.add@1", row("id", "a", "n_i", "many"), "n_i", "a");
        refusedRow("docs", "solr.add@1", row("id", "a", "n_i", 3_000_000_000L), "n_i");
        refusedRow("docs", "solr.add@1", row("id", "a", "n_i", 1.5), "n_i");
        refusedRow("docs", "solr.add@1", row("id", "a", "n_b", "perhaps"), "n_b");
        refusedRow("docs", "solr.add@1", row("id", "a", "n_dt", "yesterday"), "n_dt");
        refusedRow("docs", "solr.add@1", row("id", "a", "n_dt", "NOW"), "n_dt");
        refusedRow("docs", "solr.add@1", row("id", "a", "colour", "red"), "colour");
        refusedRow("docs", "solr.add@1", row("id", "a", "n_s", "x".repeat(40_000)), "n_s");
        refusedRow("docs", "solr.add@1", row("id", "a", "n_s", Map.of("deep", "er")), "n_s");
        refusedRow("docs", "solr.add@1", row("id", "a", "title", List.of("one", "two")), "title");
        refusedRow("docs", "solr.delete@1", row("title", "no key"), "id");
    }

    /** Regression: such keys were stored with a question mark each, as one row. */
    @Test
    void halvesOfCharacters() {
        for (String half : List.of("z\ud800", "z\ud801", "\udc00")) {
            refusedRow("docs", "solr.add@1", row("id", half), "row 0", "\"id\"", "lone surrogate");
            refusedRow("docs", "solr.add@1", row("id", "a", "n_s", half), "row 0", "\"n_s\"", "lone surrogate");
            refusedRow("words", "kv.put@1", row("id", half), "row 0", "\"id\"", "lone surrogate");
            refusedRow("words", "kv.put@1", row("id", "a", "n", List.of(half)), "\"n\"", "lone surrogate");
            bad.refused(ErrorCode.INVALID_ARGUMENT, () -> bad.client.query("docs", "q=n_s:" + half), "lone surrogate");
            bad.refused(ErrorCode.INVALID_ARGUMENT, () -> bad.client.query("words", "get " + half), "lone surrogate");
        }
    }

    @Test
    void oneBadRowRefusesItsActorsRowsOnly() {
        ClusterState before = ClusterState.settled(bad.client);
        var outcome = update("docs", "solr.delete@1", List.of(row("id", "absent"), row("id", "b", "_version_", "soon")))
                .run();
        assertThat(outcome.failed())
                .isNotEmpty()
                .allSatisfy(failure -> assertThat(failure.error().code()).isEqualTo(ErrorCode.INVALID_ROW));
        assertThat(ClusterState.settled(bad.client).contents()).isEqualTo(before.contents());
    }

    @Test
    void documentsThroughTheCommandLine() throws IOException {
        String rows = String.join(
                "\n",
                "{\"id\":\"a\",\"n_i\":",
                "[1,2]",
                "{\"title\":\"no key\"}",
                "{\"id\":\"a\",\"n_i\":\"many\"}",
                "{\"id\":true}",
                "{\"id\":\"a\",\"colour\":\"red\"}",
                "{\"id\":\"a\",\"id\":\"b\"}",
                "{\"id\":\"\\u0000\",\"n_i\":99999999999999999999}");
        Path file = Files.writeString(directory.resolve("bad.jsonl"), rows);
        Run run = bad.refused(ErrorCode.INVALID_ROW, List.of("load", "docs", file.toString()), "n_i", "colour");
        assertThat(run.out()).startsWith("0 rows loaded").contains("8 rejected, 0 not acknowledged");
        for (int line = 1; line <= 8; line++) {
            assertThat(run.err()).contains("bad.jsonl line " + line + ": ");
        }
    }

    @Test
    void keysOfTheWrongTypeAndExtremeKeys() {
        refusedRow("numbers", "kv.put@1", row("id", "text"), "whole number");
        refusedRow("numbers", "kv.put@1", row("n", 1L), "id");
        refusedRow("words", "kv.put@1", row("id", 1.5), "id");
        refusedRow("words", "kv.put@1", row("id", "k".repeat(Limits.KEY_BYTES_MAX + 1)), "key");
        List<Map<String, @Nullable Object>> extremes =
                List.of(row("id", -1_000_000L), row("id", Long.MIN_VALUE), row("id", Long.MAX_VALUE));
        for (String table : List.of("numbers", "words")) {
            ClusterState before = ClusterState.settled(bad.client);
            update(table, "kv.put@1", extremes).run().orThrow();
            assertThat(bad.client.query(table, "scan 10000").body().utf8()).contains("-9223372036854775808");
            update(table, "kv.delete@1", extremes).run().orThrow();
            assertThat(bad.client.query(table, "scan 10000").body().utf8())
                    .isEqualTo(before.contents().get(table));
        }
    }

    @Test
    void rowsAndBatchesOverTheLimit() {
        String megabyte = "x".repeat(1 << 20);
        bad.refused(
                ErrorCode.TOO_LARGE,
                () -> update("words", "kv.put@1", List.of(row("id", "k", "x", "x".repeat(Limits.ROW_BYTES_MAX))))
                        .run(),
                "row",
                "" + Limits.ROW_BYTES_MAX);
        RequestId id = new RequestId(1, 2, 3);
        List<Map<String, @Nullable Object>> large = Collections.nCopies(25, row("id", "k1", "x", megabyte));
        bad.refused(
                ErrorCode.TOO_LARGE,
                () -> update("words", "kv.put@1", large).requestId(id).run().orThrow(),
                "" + Limits.BATCH_BYTES_MAX,
                "send fewer");
        List<Map<String, @Nullable Object>> many = Collections.nCopies(Limits.BATCH_ROWS_MAX + 1, row("id", "k1"));
        bad.refused(
                ErrorCode.TOO_LARGE,
                () -> update("words", "kv.put@1", many).requestId(id).run().orThrow(),
                "" + Limits.BATCH_ROWS_MAX,
                "send fewer");
    }
}
