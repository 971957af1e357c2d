package io.uniserve.port.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.util.Map;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.Test;

/** Connections of several servers to one address. The server is mongo-java-server. */
class MongoConnectionTest {
    private static String name(MongoConnection connection) {
        return connection.database().getName();
    }

    @Test
    void eachConnectionHasADatabaseOfItsOwn() {
        MongoServer server = new MongoServer(new MemoryBackend());
        Map<String, String> settings = Map.of(MongoConnection.URI, server.bindAndGetConnectionString());
        try {
            MongoConnection first = MongoConnection.open(settings);
            MongoConnection second = MongoConnection.open(settings);
            assertThat(name(second)).isNotEqualTo(name(first));
            second.database().getCollection("kept", RawBsonDocument.class).insertOne(RawBsonDocument.parse("{_id: 1}"));
            first.close();
            first.close();
            MongoConnection third = MongoConnection.open(settings);
            assertThat(name(third)).as("the database that was given back").isNotEqualTo(name(second));
            assertThat(second.database().getCollection("kept").countDocuments()).isEqualTo(1);
            second.close();
            third.close();
        } finally {
            server.shutdownNow();
        }
    }

    @Test
    void aBorrowedConnectionOutlivesItsInstance() {
        MongoConnection opened = MongoConnection.open(Map.of());
        MongoConnection borrowed = MongoConnection.borrow();
        opened.close();
        borrowed.database().getCollection("x", RawBsonDocument.class).insertOne(RawBsonDocument.parse("{_id: 1}"));
        borrowed.release();
    }

    @Test
    void aWrongAddressIsRefusedByItsSetting() {
        assertThatThrownBy(() -> MongoConnection.open(Map.of(MongoConnection.URI, "localhost")))
                .hasMessageContaining("INVALID_CONFIGURATION")
                .hasMessageContaining("mongodb.uri");
    }
}
