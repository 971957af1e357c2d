package io.uniserve.port.mongodb;

import io.uniserve.client.UniserveClient;
import io.uniserve.port.mongodb.server.MongodExecutable;
import io.uniserve.testkit.cluster.LocalCluster;
import io.uniserve.testkit.cluster.LocalClusterBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/** Shared parts of the port's tests. */
public final class MongoFixtures {
    public static final JsonWriterSettings CANONICAL =
            JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

    /** Settings of an engine on mongo-java-server, also where a mongod is on the PATH. */
    public static final Map<String, String> EMBEDDED = Map.of(MongodExecutable.MONGOD, MongodExecutable.NEVER);

    private MongoFixtures() {}

    /** Cluster whose servers have these settings of the port. */
    public static LocalClusterBuilder cluster(Map<String, String> settings, Path directory) {
        LocalClusterBuilder builder =
                LocalCluster.builder().engine(new MongoEngine()).directory(directory);
        settings.forEach((key, value) -> builder.setting("server.port-settings.mongodb." + key, value));
        return builder;
    }

    /** Client with deadlines for a slow machine. */
    public static UniserveClient connect(LocalCluster cluster) {
        return UniserveClient.builder()
                .bootstrap(cluster.bootstrap().toArray(String[]::new))
                .deadline(Duration.ofMinutes(2))
                .connectTimeout(Duration.ofMinutes(1))
                .build();
    }
}
