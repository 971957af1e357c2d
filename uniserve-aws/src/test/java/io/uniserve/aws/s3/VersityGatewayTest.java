package io.uniserve.aws.s3;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The contract on a server of its own with the interface of S3: versitygw, from the PATH or {@code -Duniserve.test.versitygw}. */
@ExtendWith(TestingCredentials.class)
class VersityGatewayTest extends DurableStoreContract {
    @TempDir
    static Path directory;

    private static Process process;
    private static int port;

    @BeforeAll
    static void start() throws IOException {
        Optional<Path> program = program();
        assumeThat(program)
                .as("no versitygw on the PATH, and -Duniserve.test.versitygw is not set")
                .isPresent();
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Files.createDirectories(directory.resolve(TestingS3Server.BUCKET));
        ProcessBuilder builder = new ProcessBuilder(
                program.get().toString(), "--port", "127.0.0.1:" + port, "posix", directory.toString());
        builder.environment().put("ROOT_ACCESS_KEY", TestingS3Server.ACCESS_KEY);
        builder.environment().put("ROOT_SECRET_KEY", TestingCredentials.SECRET);
        process = builder.redirectErrorStream(true)
                .redirectOutput(directory.resolve("versitygw.log").toFile())
                .start();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(VersityGatewayTest::listens);
    }

    private static Optional<Path> program() {
        String given = System.getProperty("uniserve.test.versitygw", "");
        if (!given.isEmpty()) {
            return Optional.of(Path.of(given));
        }
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .map(folder -> Path.of(folder).resolve("versitygw"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    @AfterAll
    static void stop() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    @Override
    String location(String prefix) {
        return "s3://" + TestingS3Server.BUCKET + "/" + prefix
                + "?path-style=true&part-mib=5&endpoint=http://127.0.0.1:" + port;
    }
}
