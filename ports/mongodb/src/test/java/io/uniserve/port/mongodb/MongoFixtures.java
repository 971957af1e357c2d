package io.uniserve.port.mongodb;

import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;

/** Shared parts of the port's tests. */
final class MongoFixtures {
    static final JsonWriterSettings CANONICAL =
            JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

    private MongoFixtures() {}
}
