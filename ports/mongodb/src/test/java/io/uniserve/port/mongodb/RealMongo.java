package io.uniserve.port.mongodb;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.uniserve.port.mongodb.server.MongoConnection;
import io.uniserve.port.mongodb.server.MongodExecutable;
import io.uniserve.port.mongodb.server.MongodProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.Optional;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.mongodb.MongoDBContainer;

/**
 * MongoDB of the suites that need one: the server at the system property {@link #PROPERTY}, else a {@code mongod} of the PATH, else a
 * container. It is started once and ends with this process. Without any the suites are skipped.
 */
final class RealMongo {
    static final String PROPERTY = "uniserve.test.mongodb.uri";

    private static final String IMAGE = "mongo:7";

    private static final Optional<String> URI = start();

    private RealMongo() {}

    private static Optional<String> start() {
        Optional<String> given = Optional.ofNullable(System.getProperty(PROPERTY));
        if (given.isPresent()) {
            return given;
        }
        Optional<MongodExecutable> program =
                MongodExecutable.find(Map.of(), System.getenv().getOrDefault("PATH", ""));
        if (program.isPresent()) {
            return Optional.of(startProgram(program.get()));
        }
        if (!DockerClientFactory.instance().isDockerAvailable()) {
            return Optional.empty();
        }
        MongoDBContainer container = new MongoDBContainer(IMAGE);
        container.start();
        return Optional.of(container.getConnectionString() + "/?directConnection=true");
    }

    private static String startProgram(MongodExecutable program) {
        try {
            return MongodProcess.start(program, Files.createTempDirectory("mongod"))
                    .uri();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Settings of an engine on this MongoDB. Skips the test if there is none. */
    static Map<String, String> settings() {
        return Map.of(MongoConnection.URI, uri());
    }

    /** Connection string of this MongoDB. Skips the test if there is none. */
    static String uri() {
        assumeTrue(URI.isPresent(), "needs Docker, a mongod on the PATH, or -D" + PROPERTY);
        return URI.orElseThrow();
    }
}
