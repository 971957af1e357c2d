package io.uniserve.port.mongodb;

import io.uniserve.client.UniserveClient;
import io.uniserve.testkit.cluster.LocalCluster;
import java.time.Duration;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/** Shared parts of the port's tests. */
final class MongoFixtures {
    static final JsonWriterSettings CANONICAL =
            JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

    private MongoFixtures() {}

    /** Client with deadlines for a slow machine. */
    static UniserveClient connect(LocalCluster cluster) {
        return UniserveClient.builder()
                .bootstrap(cluster.bootstrap().toArray(String[]::new))
                .deadline(Duration.ofMinutes(2))
                .connectTimeout(Duration.ofMinutes(1))
                .build();
    }
}
