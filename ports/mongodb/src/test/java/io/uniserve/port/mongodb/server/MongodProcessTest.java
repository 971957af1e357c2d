package io.uniserve.port.mongodb.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.mongodb.MongoFixtures;
import io.uniserve.testkit.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The child process mongod: which program is taken, its failures, its end. The program is a script that becomes mongo-java-server. */
class MongodProcessTest {
    private static final String SERVES = "while [ \"$1\" != --port ]; do shift; done; exec "
            + MongoJavaServer.command().stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "))
            + " \"$2\"";

    @TempDir
    Path folder;

    /** Writes a program in a folder of its own. */
    private Path program(String name, String version, String body) {
        try {
            Path file = Files.createDirectory(folder.resolve(name)).resolve("mongod");
            String script = "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'db version v" + version + "'; exit; fi\n"
                    + body + "\n";
            Files.writeString(file, script);
            return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static MongodExecutable executable(Path program) {
        return MongodExecutable.find(Map.of(MongodExecutable.MONGOD, program.toString()), "")
                .orElseThrow();
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    @Test
    void theProgramIsFoundOnThePath() {
        Path good = program("good", "7.0.5", "");
        program("old", "4.4.29", "");
        String path = folder.resolve("none") + ":" + good.getParent();
        assertThat(MongodExecutable.find(Map.of(), path)).contains(new MongodExecutable(good, "7.0.5"));
        assertThat(MongodExecutable.find(Map.of("mongod", "auto"), path)).isPresent();
        assertThat(MongodExecutable.find(Map.of("mongod", "never"), path)).isEmpty();
        assertThat(MongodExecutable.find(Map.of(), "")).isEmpty();
        assertThat(MongodExecutable.find(Map.of(), folder.resolve("old").toString()))
                .as("too old")
                .isEmpty();
    }

    @Test
    void aWrongSettingIsRefused() {
        Path old = program("old", "4.4.29", "");
        Path odd = program("odd", "", "");
        refuses(old.toString(), "has version 4.4.29; use 5 or later");
        refuses(odd.toString(), "tells no version of MongoDB, but \"db version v\"");
        refuses(folder.toString(), "is not a program");
        refuses("sometimes", "is none of auto, never and a path");
    }

    private static void refuses(String setting, String message) {
        assertThatThrownBy(() -> MongodExecutable.find(Map.of("mongod", setting), ""))
                .hasMessageContaining("mongodb.mongod: " + setting + " " + message)
                .satisfies(error ->
                        assertThat(((UniserveException) error).code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION));
    }

    @Test
    void aProgramThatEndsAtOnceIsToldWithItsWords() {
        MongodExecutable failing = executable(program("failing", "7.0.0", "echo 'no space left'; exit 14"));
        assertThatThrownBy(() -> MongodProcess.start(failing, folder.resolve("files")))
                .hasMessageContaining("ended with status 14")
                .hasMessageContaining("no space left")
                .hasMessageContaining("mongodb.mongod to never");
    }

    @Test
    void theProcessEndsWithItsHandle() {
        MongodProcess process = MongodProcess.start(executable(program("good", "7.0.0", SERVES)), folder.resolve("a"));
        long pid = process.pid();
        assertThat(isAlive(pid)).isTrue();
        process.close();
        assertThat(isAlive(pid)).isFalse();
        process.close();
    }

    /** SIGTERM is ignored: SIGKILL follows. */
    @Test
    void aProcessThatDoesNotStopIsKilled() {
        String stubborn = SERVES.replace("; exec ", "; trap '' TERM; exec ");
        MongodProcess process =
                MongodProcess.start(executable(program("stubborn", "7.0.0", stubborn)), folder.resolve("a"));
        long pid = process.pid();
        process.close();
        await().until(() -> !isAlive(pid));
    }

    @Test
    void aProcessThatDiesIsStartedAgain() {
        MongodProcess process = MongodProcess.start(executable(program("good", "7.0.0", SERVES)), folder.resolve("a"));
        long pid = process.pid();
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        await().until(() -> process.pid() != pid && isAlive(process.pid()));
        try (MongoClient client = MongoClients.create(process.uri())) {
            client.getDatabase("admin").runCommand(new BsonDocument("ping", new BsonInt32(1)));
        }
        process.close();
        assertThat(isAlive(process.pid())).isFalse();
    }

    /** The process that started mongod is killed, and mongod ends by itself. */
    @Test
    void noProcessOutlivesAKilledServer() throws IOException {
        Path program = program("good", "7.0.0", SERVES);
        Path pidFile = folder.resolve("pid");
        List<String> command = List.of(
                MongoJavaServer.command().get(0),
                "-cp",
                System.getProperty("java.class.path"),
                MongodParent.class.getName(),
                program.toString(),
                folder.resolve("a").toString(),
                pidFile.toString());
        Process parent = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("parent.log").toFile())
                .start();
        await().until(() -> Files.exists(pidFile) || !parent.isAlive());
        long pid = Long.parseLong(Files.readString(pidFile));
        assertThat(isAlive(pid)).isTrue();
        parent.destroyForcibly().onExit().join();
        await().until(() -> !isAlive(pid));
    }

    private static List<ProcessHandle> javaChildren() {
        return ProcessHandle.current()
                .children()
                .filter(each -> each.info().command().orElse("").endsWith("java"))
                .toList();
    }

    /** The actors of a server whose mongod dies, and comes back without its documents, get them back from the log. */
    @Test
    void aServerStartsItAndOutlivesItsDeath() {
        Path program = program("good", "7.0.0", SERVES);
        try (LocalCluster cluster = MongoFixtures.cluster(Map.of("mongod", program.toString()), folder.resolve("c"))
                        .setting("coordinator.rebalance.period", "1s")
                        .servers(1)
                        .start();
                UniserveClient client = MongoFixtures.connect(cluster)) {
            client.admin()
                    .createTable(
                            TableSpec.named("t").port("mongodb").keyField("_id").hash(2));
            List<Document> rows = LongStream.range(0, 20)
                    .mapToObj(id -> new Document("_id", Map.of("_id", id)))
                    .toList();
            client.table("t")
                    .update("mongodb.put@1", Document.CODEC, rows)
                    .run()
                    .orThrow();
            assertThat(javaChildren()).hasSize(1);
            javaChildren().forEach(ProcessHandle::destroyForcibly);
            assertThat(client.query("t", "{count: 't'}").body().utf8()).contains("\"n\": 20");
        }
        assertThat(javaChildren()).isEmpty();
    }
}
