package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.TablePattern;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcClientNetwork;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Roles of users in a cluster of processes: what no rule permits is refused, in every way that a query can name a table. */
class UserRightsIT {
    private static final String SHOPS = "shops";
    private static final String SECRETS = "secrets";
    private static final String ABSENT = "absent";
    private static final String SELECT = "SELECT word FROM shops";
    private static final long CALL_NANOS = 20_000_000_000L;

    @TempDir
    private Path directory;

    private static void create(UniserveClient admin, String table) {
        admin.admin()
                .createTable(TableSpec.named(table)
                        .port("duckdb")
                        .keyField("id")
                        .hash(3)
                        .replicas(2)
                        .option("columns", "id bigint, word varchar"));
        put(admin, table, 1);
    }

    private static void put(UniserveClient client, String table, long id) {
        client.table(table)
                .update("duckdb.put@1", Document.CODEC, List.of(new Document("id", Map.of("id", id, "word", table))))
                .run()
                .orThrow();
    }

    private static ErrorCode refused(ThrowingCallable call) {
        Throwable thrown = ThrowableAssert.catchThrowable(call);
        assertThat(thrown).isInstanceOf(UniserveException.class);
        return ((UniserveException) thrown).code();
    }

    private static void grant(UniserveClient admin, String user, Role role, String tables, boolean revoke) {
        admin.admin().changeGrant(new RoleGrant(user, role, new TablePattern(tables)), revoke);
    }

    private static void eventually(ThrowingRunnable assertions) {
        await().atMost(SecuredProcessCluster.PATIENCE).untilAsserted(assertions);
    }

    @Test
    void usersDoWhatRulesPermitAndNothingElse() throws Exception {
        try (SecuredProcessCluster cluster = new SecuredProcessCluster(directory, "duckdb")) {
            UniserveClient admin = cluster.client("admin");
            create(admin, SHOPS);
            create(admin, SECRETS);
            UniserveClient ann = cluster.client("ann");
            // Processes apply a rule within two seconds, not at the same time: each group is asked until it holds
            // everywhere.
            eventually(() -> {
                assertThat(ann.admin().listTables()).isEmpty();
                assertThat(refused(() -> ann.query(SHOPS, SELECT))).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
            });

            grant(admin, "ann", Role.READER, "sho*", false);
            eventually(() -> readerReadsOnlyItsTables(ann));
            eventually(() -> readerChangesNothing(ann));
            long secret = admin.admin().describeTable(SECRETS).meta().tableId();
            eventually(() -> numbersOfOtherTablesAreNotServed(cluster, ann, secret));

            grant(admin, "ann", Role.WRITER, SHOPS, false);
            eventually(() -> put(ann, SHOPS, 2));
            assertThat(refused(() -> put(ann, SECRETS, 2))).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
            assertThat(ann.admin().grants("").grants()).hasSize(2);

            grant(admin, "ann", Role.WRITER, SHOPS, true);
            grant(admin, "ann", Role.READER, "sho*", true);
            eventually(() -> {
                assertThat(refused(() -> put(ann, SHOPS, 3))).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
                assertThat(refused(() -> ann.query(SHOPS, SELECT))).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
            });

            UniserveClient eve = cluster.client("eve");
            grant(admin, "eve", Role.OPERATOR, "*", false);
            eventually(() -> operatorSeesNoRows(eve));
            assertThat(admin.query(SECRETS, "SELECT count(*) FROM secrets")
                            .body()
                            .utf8())
                    .contains("[1]");
        }
    }

    private static void readerReadsOnlyItsTables(UniserveClient ann) {
        assertThat(ann.admin().listTables())
                .singleElement()
                .satisfies(table -> assertThat(table.meta().name().value()).isEqualTo(SHOPS));
        for (String sql : List.of(
                "SELECT word FROM %s",
                "SELECT s.word FROM shops s JOIN %s x ON s.id = x.id",
                "SELECT /*+ shuffle_all */ s.word FROM shops s JOIN %s x ON s.word = x.word",
                "SELECT word FROM shops WHERE id IN (SELECT id FROM %s)",
                "SELECT (SELECT max(word) FROM %s) FROM shops",
                "SELECT word FROM shops UNION ALL SELECT word FROM %s",
                "WITH w AS (SELECT word FROM %s) SELECT w.word FROM w, shops",
                "SELECT count(*) FROM shops WHERE NOT EXISTS (SELECT 1 FROM %s x WHERE x.id = shops.id)")) {
            Throwable denied = ThrowableAssert.catchThrowable(() -> ann.query(SHOPS, sql.formatted(SECRETS)));
            Throwable absent = ThrowableAssert.catchThrowable(() -> ann.query(SHOPS, sql.formatted(ABSENT)));
            assertThat(denied).as(sql).isInstanceOf(UniserveException.class);
            assertThat(((UniserveException) denied).code()).as(sql).isEqualTo(((UniserveException) absent).code());
            assertThat(((UniserveException) denied).reason().replace(SECRETS, ABSENT))
                    .as(sql)
                    .isEqualTo(((UniserveException) absent).reason());
        }
        assertThat(refused(() -> ann.table(SHOPS).key(1L).query("SELECT word FROM " + SECRETS)))
                .as("a query that one actor answers")
                .isEqualTo(refused(() -> ann.table(SHOPS).key(1L).query("SELECT word FROM " + ABSENT)));
        assertThat(refused(() -> ann.query(SECRETS, "SELECT word FROM shops"))).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
        assertThat(refused(() -> ann.admin().describeTable(SECRETS))).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }

    private static void readerChangesNothing(UniserveClient ann) {
        assertThat(refused(() -> put(ann, SHOPS, 9))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(refused(() -> ann.admin().dropTable(SHOPS))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(refused(() -> create(ann, "mine"))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(refused(() -> ann.admin().status())).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(refused(() -> ann.admin().backupTable(SHOPS, "b"))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(refused(() -> grant(ann, "ann", Role.ADMIN, "*", false))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(refused(() -> ann.admin().allGrants())).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(refused(() -> ann.admin().grants("admin"))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(ann.admin().grants("").user()).isEqualTo("ann");
    }

    private static void operatorSeesNoRows(UniserveClient eve) {
        assertThat(eve.admin().status().routing().tables()).hasSize(2);
        assertThat(eve.admin().listTables()).hasSize(2);
        assertThat(refused(() -> eve.query(SECRETS, "SELECT word FROM secrets")))
                .isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(refused(() -> put(eve, SHOPS, 9))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(refused(() -> eve.admin().dropTable(SHOPS))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(refused(() -> eve.admin().restoreTable("b", "mine"))).isEqualTo(ErrorCode.UNAUTHORIZED);
    }

    /** Replicas are found by the number of their table: a right to one table is none to the number of another. */
    private static void numbersOfOtherTablesAreNotServed(SecuredProcessCluster cluster, UniserveClient ann, long secret)
            throws Exception {
        long own = ann.admin().describeTable(SHOPS).meta().tableId();
        for (String server : List.of("server-1", "server-2")) {
            assertThat(held(cluster, server, own)).as(server).isEmpty();
            assertThat(held(cluster, server, secret)).as(server).containsExactly(ErrorCode.TABLE_NOT_FOUND);
        }
    }

    /** Codes of failures when ann asks a server to hold the state of an actor of table shops, under this number. */
    private static List<ErrorCode> held(SecuredProcessCluster cluster, String server, long number) throws Exception {
        ReadRequest request = new ReadRequest(
                new TableName(SHOPS),
                number,
                List.of(new ReadRequest.Target(0, 1, 0)),
                ReadRequest.HOLD,
                Bytes.EMPTY,
                1,
                1,
                0,
                CALL_NANOS,
                ReadMode.STALE,
                List.of(),
                Optional.of(new ReadRequest.SessionHold(1, number, CALL_NANOS)));
        try (ChannelPool channels = new ChannelPool(SystemClock.INSTANCE, cluster.tls("ann"))) {
            CompletableFuture<Outcome<ReadReply>> reply = new CompletableFuture<>();
            Timers.Cancel unused = new GrpcClientNetwork(channels, ClusterIdentity.of("local"), Runnable::run)
                    .read(cluster.processes().address(server), request, reply::complete);
            Outcome<ReadReply> outcome = reply.get(SecuredProcessCluster.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            return outcome instanceof Outcome.Ok<ReadReply> ok
                    ? ok.value().failures().stream().map(ActorFailure::code).toList()
                    : List.of(outcome.error().code());
        }
    }
}
