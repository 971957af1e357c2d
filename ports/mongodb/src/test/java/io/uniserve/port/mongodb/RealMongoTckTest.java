package io.uniserve.port.mongodb;

import io.uniserve.testkit.tck.PortTck;

/** The MongoDB port satisfies the port contract on MongoDB. */
class RealMongoTckTest extends PortTck {
    RealMongoTckTest() {
        super(new MongoTckFixture(RealMongo::settings));
    }
}
