package io.uniserve.port.mongodb;

import java.util.Map;

/** The updates on MongoDB. */
class RealMongoUpdatesTest extends MongoUpdatesTest {
    @Override
    Map<String, String> settings() {
        return RealMongo.settings();
    }
}
