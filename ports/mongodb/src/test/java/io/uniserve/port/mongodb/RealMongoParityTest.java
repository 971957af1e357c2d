package io.uniserve.port.mongodb;

import java.util.Map;

/** The random commands on MongoDB, with all values: those of which mongo-java-server has no order, too. */
class RealMongoParityTest extends MongoParityTest {
    @Override
    Map<String, String> settings() {
        return RealMongo.settings();
    }

    @Override
    ReferenceServer reference() {
        return new ReferenceServer(RealMongo.uri(), () -> {});
    }

    @Override
    boolean hasAllValues() {
        return true;
    }
}
