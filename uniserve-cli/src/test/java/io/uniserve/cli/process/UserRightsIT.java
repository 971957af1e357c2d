package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.TablePattern;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.security.CertificateAuthority;
import io.uniserve.security.CertificateFiles;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Roles of users in a cluster of processes: what no rule permits is refused, in every way that a query can name a table. */
class UserRightsIT {
    private static final Duration DAYS = Duration.ofDays(2);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String SHOPS = "shops";
    private static final String SECRETS = "secrets";
    private static final String ABSENT = "absent";

    private final Instant now = Instant.ofEpochMilli(SystemClock.INSTANCE.wallMillis());
    private final Map<String, UniserveClient> clients = new HashMap<>();

    @TempDir
    private Path directory;

    @AfterEach
    void close() {
        clients.values().forEach(UniserveClient::close);
    }

    private static Map<String, String> settings(CertificateFiles files) {
        return Map.of(
                "security.mode", "closed",
                "tls.enabled", "true",
                "tls.certificate-file", files.certificate().toString(),
                "tls.key-file", files.key().toString(),
                "tls.trust-file", files.trust().toString());
    }

    private UniserveClient client(ProcessCluster cluster, CertificateAuthority authority, String user) {
        CertificateFiles files = authority.issueUser(user, now, DAYS, directory.resolve(user));
        UniserveClient client = UniserveClient.builder()
                .bootstrap(cluster.address("coordinator-1").toString())
                .connectTimeout(PATIENCE)
                .tls(new TlsFiles(
                        true,
                        Optional.of(files.certificate()),
                        Optional.of(files.key()),
                        Optional.of(files.trust()),
                        false))
                .build();
        clients.put(user, client);
        return client;
    }

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

    private static boolean isPermitted(ThrowingCallable call) {
        Throwable thrown = ThrowableAssert.catchThrowable(call);
        assertThat(thrown)
                .satisfiesAnyOf(
                        none -> assertThat(none).isNull(),
                        refusal -> assertThat(refusal).isInstanceOf(UniserveException.class));
        return thrown == null;
    }

    @Test
    void usersDoWhatRulesPermitAndNothingElse() throws Exception {
        CertificateAuthority authority = CertificateAuthority.create(directory.resolve("authority"), "local", now);
        CertificateFiles node = authority.issueServer(
                "node",
                List.of("127.0.0.1", InetAddress.getLocalHost().getHostName()),
                now,
                DAYS,
                directory.resolve("node"));
        try (ProcessCluster cluster = new ProcessCluster(
                ProcessClusterOptions.of(directory, 2, "duckdb").with(settings(node)))) {
            cluster.start();
            UniserveClient admin = client(cluster, authority, "admin");
            create(admin, SHOPS);
            create(admin, SECRETS);
            UniserveClient ann = client(cluster, authority, "ann");
            assertThat(ann.admin().listTables()).isEmpty();
            assertThat(refused(() -> ann.query(SHOPS, "SELECT word FROM shops")))
                    .isEqualTo(ErrorCode.TABLE_NOT_FOUND);

            grant(admin, "ann", Role.READER, "sho*", false);
            await("the grant")
                    .atMost(PATIENCE)
                    .until(() -> isPermitted(() -> ann.query(SHOPS, "SELECT word FROM shops")));
            readerReadsOnlyItsTables(ann);
            readerChangesNothing(ann);

            grant(admin, "ann", Role.WRITER, SHOPS, false);
            await("the second grant").atMost(PATIENCE).until(() -> isPermitted(() -> put(ann, SHOPS, 2)));
            assertThat(refused(() -> put(ann, SECRETS, 2))).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
            assertThat(ann.admin().grants("").grants()).hasSize(2);

            grant(admin, "ann", Role.WRITER, SHOPS, true);
            grant(admin, "ann", Role.READER, "sho*", true);
            await("the end of the grants").atMost(PATIENCE).until(() -> !isPermitted(() -> put(ann, SHOPS, 3)));
            await("the end of reads")
                    .atMost(PATIENCE)
                    .until(() -> !isPermitted(() -> ann.query(SHOPS, "SELECT word FROM shops")));

            operatorSeesNoRows(admin, client(cluster, authority, "eve"));
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
        assertThat(refused(() -> ann.table(SHOPS).key(1L).query("SELECT word FROM secrets")))
                .as("a query that one actor answers")
                .isNotNull();
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

    private static void operatorSeesNoRows(UniserveClient admin, UniserveClient eve) {
        grant(admin, "eve", Role.OPERATOR, "*", false);
        await("the operator's grant")
                .atMost(PATIENCE)
                .until(() -> isPermitted(() -> eve.admin().status()));
        assertThat(eve.admin().listTables()).hasSize(2);
        await("the operator's map")
                .atMost(PATIENCE)
                .until(() -> refused(() -> eve.query(SECRETS, "SELECT word FROM secrets")) == ErrorCode.UNAUTHORIZED);
        assertThat(refused(() -> put(eve, SHOPS, 9))).isEqualTo(ErrorCode.UNAUTHORIZED);
        assertThat(refused(() -> eve.admin().dropTable(SHOPS))).isEqualTo(ErrorCode.UNAUTHORIZED);
    }
}
