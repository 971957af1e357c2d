package io.uniserve.port.mongodb.server;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;

/** Server that keeps an engine instance's documents, and ends with the instance if the instance has started it. Thread-safe. */
public interface MongoServerHandle extends AutoCloseable {
    /** Connection string of the server. */
    String uri();

    /** Name for logs, which has no password. */
    String name();

    /** True for mongo-java-server in this process, which is not MongoDB. */
    default boolean isEmbedded() {
        return false;
    }

    @Override
    void close();

    /** Server that an administrator runs. */
    record External(String uri) implements MongoServerHandle {
        @Override
        public String name() {
            return "mongodb." + MongoConnection.URI;
        }

        @Override
        public void close() {
            // it is not ours
        }
    }

    /** mongo-java-server in this process: documents in memory, and a part of MongoDB's language. */
    record Embedded(MongoServer server, String uri) implements MongoServerHandle {
        static Embedded start() {
            MongoServer server = new MongoServer(new MemoryBackend());
            return new Embedded(server, server.bindAndGetConnectionString());
        }

        @Override
        public String name() {
            return "mongo-java-server";
        }

        @Override
        public boolean isEmbedded() {
            return true;
        }

        @Override
        public void close() {
            server.shutdownNow();
        }
    }
}
