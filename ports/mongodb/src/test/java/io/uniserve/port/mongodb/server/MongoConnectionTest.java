package io.uniserve.port.mongodb.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import io.uniserve.api.EngineContext;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.mongodb.MongoFixtures;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections of several servers to one address. The server is mongo-java-server. */
class MongoConnectionTest {
    private final MongoServer server = new MongoServer(new MemoryBackend());
    private final String uri = server.bindAndGetConnectionString();

    @TempDir
    Path scratch;

    @AfterEach
    void stop() {
        server.shutdownNow();
    }

    private static String name(MongoConnection connection) {
        return connection.database().getName();
    }

    private MongoConnection open() {
        return open(Map.of(MongoConnection.URI, uri));
    }

    private MongoConnection open(Map<String, String> settings) {
        return MongoConnection.open(new EngineContext(scratch, settings));
    }

    private static MongoCollection<RawBsonDocument> collection(MongoConnection connection, String name) {
        return connection.database().getCollection(name, RawBsonDocument.class);
    }

    @Test
    void eachConnectionHasADatabaseOfItsOwn() {
        MongoConnection first = open();
        MongoConnection second = open();
        assertThat(name(second)).isNotEqualTo(name(first));
        collection(second, "kept").insertOne(RawBsonDocument.parse("{_id: 1}"));
        first.close();
        first.close();
        MongoConnection third = open();
        assertThat(name(third)).as("the database that was given back").isNotEqualTo(name(second));
        assertThat(collection(second, "kept").countDocuments()).isEqualTo(1);
        assertThat(third.newName("actor")).as("of all connections").isNotEqualTo(second.newName("actor"));
        second.close();
        third.close();
    }

    @Test
    void aBorrowedConnectionOutlivesItsInstance() {
        MongoConnection opened = open(MongoFixtures.EMBEDDED);
        MongoConnection borrowed = MongoConnection.borrow();
        opened.close();
        collection(borrowed, "x").insertOne(RawBsonDocument.parse("{_id: 1}"));
        borrowed.release();
    }

    @Test
    void aDatabaseThatIsGoneIsReplaced() {
        MongoConnection connection = open();
        DatabaseClaim claim = connection.claim();
        connection.verify(claim);
        claim.database().drop();
        assertThatThrownBy(() -> connection.verify(claim))
                .hasMessageContaining(claim.name() + " is lost")
                .satisfies(
                        error -> assertThat(((UniserveException) error).code()).isEqualTo(ErrorCode.UNAVAILABLE));
        assertThat(connection.claim()).isNotSameAs(claim);
        connection.verify(connection.claim());
        connection.close();
    }

    /** As after a crash: the claim is there, and its owner does not renew it. */
    @Test
    void aClaimThatIsNotRenewedExpires() {
        try (MongoClient client = MongoClients.create(uri)) {
            DatabaseClaim crashed = DatabaseClaim.acquire(client);
            MongoCollection<RawBsonDocument> left = crashed.database().getCollection("actor_1", RawBsonDocument.class);
            left.insertOne(RawBsonDocument.parse("{_id: 1}"));
            DatabaseClaim beside = DatabaseClaim.acquire(client);
            assertThat(beside.name()).as("not expired").isNotEqualTo(crashed.name());
            DatabaseClaim next = DatabaseClaim.acquire(client, 0);
            assertThat(next.name()).isEqualTo(crashed.name());
            assertThat(next.database().listCollectionNames().into(new java.util.ArrayList<>()))
                    .isEqualTo(List.of("owner"));
            assertThat(crashed.isHeld()).isFalse();
            assertThat(crashed.renew()).isFalse();
            crashed.release();
            assertThat(next.isHeld()).as("after the former owner's end").isTrue();
        }
    }

    @Test
    void aServerThatIsDownCostsNothingAtTheEnd() {
        MongoConnection connection = open(Map.of(MongoConnection.URI, uri + "/?serverSelectionTimeoutMS=200"));
        MongoCollection<RawBsonDocument> collection = collection(connection, "x");
        server.shutdownNow();
        assertThatThrownBy(() -> MongoConnection.MONGODB.call("count", collection::countDocuments))
                .as("the command may have ended the server")
                .satisfies(
                        error -> assertThat(((UniserveException) error).code()).isEqualTo(ErrorCode.PORT_FAILED));
        assertThatThrownBy(() -> MongoConnection.MONGODB.call("count", collection::countDocuments))
                .satisfies(
                        error -> assertThat(((UniserveException) error).code()).isEqualTo(ErrorCode.UNAVAILABLE));
        connection.drop(collection);
        connection.close();
    }

    @Test
    void aWrongAddressIsRefusedByItsSetting() {
        assertThatThrownBy(() -> open(Map.of(MongoConnection.URI, "localhost")))
                .hasMessageContaining("INVALID_CONFIGURATION")
                .hasMessageContaining("mongodb.uri");
    }
}
