package io.uniserve.cli.badinput;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tables that do not exist or were dropped; invalid names. */
@ExtendWith(BadInputCluster.Shared.class)
class TablesIT {
    private static final List<String> NAMES = List.of("", "../x", "/", "a/b", ".", "a\0b", "x".repeat(100_000), "ä");

    private final BadInputCluster bad;
    private final UniserveClient client;

    @TempDir
    private Path directory;

    TablesIT(BadInputCluster bad) {
        this.bad = bad;
        this.client = bad.client;
    }

    private void unknown(String name) throws java.io.IOException {
        String rows = Files.writeString(directory.resolve("rows.jsonl"), "{\"id\":\"a\"}\n")
                .toString();
        bad.refused(ErrorCode.TABLE_NOT_FOUND, () -> client.query(name, "count"), name);
        bad.refused(ErrorCode.TABLE_NOT_FOUND, () -> client.admin().describeTable(name), name, "list the tables");
        bad.refused(ErrorCode.TABLE_NOT_FOUND, () -> client.admin().dropTable(name), name);
        bad.refused(
                ErrorCode.TABLE_NOT_FOUND,
                () -> client.table(name).all().retrieve(TroubleOperators.THROW.call(), 0L, List::size),
                name);
        bad.refused(
                ErrorCode.TABLE_NOT_FOUND,
                () -> client.table(name)
                        .updateDocuments("kv.put@1", List.of(Map.of("id", "a")))
                        .run(),
                name);
        for (List<String> command : List.of(
                List.of("query", name, "count"),
                List.of("load", name, rows),
                List.of("table", "describe", name),
                List.of("table", "update", name, "--configset", directory.toString()),
                List.of("table", "drop", name))) {
            bad.refused(ErrorCode.TABLE_NOT_FOUND, command, name);
        }
    }

    @Test
    void levelsThatThePortDoesNotOffer() {
        for (String level : List.of("serializable", "fully-serializable")) {
            bad.refused(
                    ErrorCode.UNSUPPORTED,
                    List.of("table", "create", "more", "--engine", "lucene", "--level", level),
                    "port \"lucene\"",
                    level.toUpperCase(java.util.Locale.ROOT).replace('-', '_'),
                    "create the table with one of [EVENTUAL]");
        }
        bad.refused(
                ErrorCode.UNSUPPORTED,
                () -> client.admin()
                        .createTable(TableSpec.named("more")
                                .port("lucene")
                                .level(io.uniserve.model.ConsistencyLevel.SERIALIZABLE)),
                "port \"lucene\"",
                "EVENTUAL");
        var run = bad.run(List.of("table", "create", "more", "--engine", "kv", "--level", "strong"));
        assertThat(run.exit()).isEqualTo(io.uniserve.cli.command.ExitCode.USAGE);
        assertThat(run.err()).contains("'strong'", "eventual, serializable, fully-serializable");
    }

    @Test
    void aTableWhoseOptionsCannotChange() throws Exception {
        String rows = Files.writeString(directory.resolve("schema.xml"), "<schema/>")
                .getParent()
                .toString();
        int replicas = ClusterState.of(client).replicas().size();
        client.admin().createTable(TableSpec.named("pairs").port("kv").hash(2).replicas(2));
        bad.refused(ErrorCode.UNSUPPORTED, List.of("table", "update", "pairs", "--configset", rows), "port kv");
        bad.refused(
                ErrorCode.UNSUPPORTED,
                () -> client.admin().updateTable("pairs", Map.of("a.later", "b")),
                "create another table");
        client.admin().dropTable("pairs");
        org.awaitility.Awaitility.await()
                .until(() -> ClusterState.of(client).replicas().size() == replicas);
    }

    @Test
    void aTableThatNeverWas() throws Exception {
        unknown("nothing");
    }

    @Test
    void aTableJustDropped() throws Exception {
        client.admin().createTable(TableSpec.named("gone").port("kv").hash(2).replicas(2));
        client.table("gone")
                .updateDocuments("kv.put@1", List.of(Map.of("id", "a")))
                .run()
                .orThrow();
        ClusterState with = ClusterState.of(client);
        client.admin().dropTable("gone");
        org.awaitility.Awaitility.await()
                .until(() -> ClusterState.of(client).replicas().size()
                        == with.replicas().size() - 4);
        unknown("gone");
    }

    @Test
    void namesThatCannotBe() throws Exception {
        String rows = Files.writeString(directory.resolve("rows.jsonl"), "{\"id\":\"a\"}\n")
                .toString();
        for (String name : NAMES) {
            bad.refused(ErrorCode.INVALID_ARGUMENT, () -> client.table(name), "table name");
            bad.refused(ErrorCode.INVALID_ARGUMENT, () -> client.query(name, "count"), "table name");
            bad.refused(ErrorCode.INVALID_ARGUMENT, () -> client.admin().dropTable(name), "table name");
            bad.refused(ErrorCode.INVALID_ARGUMENT, () -> TableSpec.named(name), "table name");
            for (List<String> command : List.of(
                    List.of("table", "create", name, "--engine", "kv"),
                    List.of("table", "describe", name),
                    List.of("table", "drop", name),
                    List.of("query", name, "count"),
                    List.of("load", name, rows))) {
                var run = bad.refused(ErrorCode.INVALID_ARGUMENT, command, "table name", "letter");
                assertThat(run.err()).hasSizeLessThan(2_000);
            }
        }
    }

    @Test
    void keyFieldsAndPortsThatCannotBe() {
        for (String name : List.of("", "a\0b", "x".repeat(1_000))) {
            bad.refused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> client.admin()
                            .createTable(TableSpec.named("more").port("kv").keyField(name)),
                    "key");
            bad.refused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> client.admin().createTable(TableSpec.named("more").port(name)),
                    "port");
        }
        bad.refused(
                ErrorCode.UNKNOWN_PORT,
                () -> client.admin().createTable(TableSpec.named("more").port("../kv")),
                "../kv",
                "start servers");
    }

    @Test
    void numbersOfActorsAndReplicasThatCannotBe() {
        for (int wrong : new int[] {0, -1, 1_000_000_000, Integer.MIN_VALUE}) {
            bad.refused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> client.admin()
                            .createTable(TableSpec.named("more").port("kv").hash(wrong)),
                    "actors");
            bad.refused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> client.admin()
                            .createTable(TableSpec.named("more").port("kv").replicas(wrong)),
                    "rf");
            bad.refused(
                    ErrorCode.INVALID_ARGUMENT,
                    List.of("table", "create", "more", "--engine", "kv", "--actors", "" + wrong),
                    "actors");
            bad.refused(
                    ErrorCode.INVALID_ARGUMENT,
                    List.of("table", "create", "more", "--engine", "kv", "--rf", "" + wrong),
                    "rf");
        }
        bad.refused(
                ErrorCode.INVALID_ARGUMENT,
                () -> client.admin()
                        .createTable(TableSpec.named("more").port("kv").replicas(3)),
                "rf is 3 but 2 servers are live",
                "start more servers");
    }
}
