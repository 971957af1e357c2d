package io.uniserve.port.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ConsistencyLevel;
import io.uniserve.testkit.tck.PortTck;
import org.junit.jupiter.api.Test;

/** The MongoDB port satisfies the port contract, on the embedded server. */
class MongoTckTest extends PortTck {
    MongoTckTest() {
        super(new MongoTckFixture(() -> MongoFixtures.EMBEDDED));
    }

    /** Otherwise the cases of atomic updates would be skipped. */
    @Test
    void updatesAreAtomicWhereTablesWantThat() {
        assertThat(new MongoEngine().info().levels()).contains(ConsistencyLevel.values());
    }

    /** The command {@code load} sends rows to a port's first function. */
    @Test
    void rowsOfLoadArePut() {
        assertThat(new MongoEngine().info().updates()).first().isEqualTo("mongodb.put@1");
    }
}
