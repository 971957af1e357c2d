package io.uniserve.port.mongodb.server;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/**
 * mongo-java-server as a process of its own, which a test kills. Its documents are in memory, or in a file. After a restart it is empty. Not
 * thread-safe.
 */
public final class MongoJavaServer implements AutoCloseable {
    private final int port;
    private final File log;
    private final Optional<Path> store;
    private Process process;

    private MongoJavaServer(int port, File log, Optional<Path> store) {
        this.port = port;
        this.log = log;
        this.store = store;
        this.process = launch();
    }

    /** Main method of the process: the arguments are the port, and the file of the documents if they are not in memory. */
    public static void main(String[] arguments) throws InterruptedException {
        MongoServer server = new MongoServer(arguments.length > 1 ? new H2Backend(arguments[1]) : new MemoryBackend());
        server.bind("127.0.0.1", Integer.parseInt(arguments[0]));
        new CountDownLatch(1).await();
    }

    /** The command of the process, without its port. */
    static List<String> command() {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                MongoJavaServer.class.getName());
    }

    /** Starts a process on a free port, with its documents in memory and its log in the folder. */
    public static MongoJavaServer start(Path folder) {
        return start(folder, Optional.empty());
    }

    /** Starts a process on a free port, with its documents in this file and its log in the folder. */
    public static MongoJavaServer startOnDisk(Path folder, Path file) {
        return start(folder, Optional.of(file));
    }

    private static MongoJavaServer start(Path folder, Optional<Path> store) {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int free = socket.getLocalPort();
            socket.close();
            MongoJavaServer started = new MongoJavaServer(
                    free, folder.resolve("server-" + free + ".log").toFile(), store);
            started.awaitAnswer();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process launch() {
        List<String> command = new java.util.ArrayList<>(command());
        command.add(String.valueOf(port));
        store.ifPresent(file -> command.add(file.toString()));
        try {
            if (store.isPresent()) {
                Files.deleteIfExists(store.get());
            }
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitAnswer() {
        try (MongoClient client = MongoClients.create(uri() + "/?serverSelectionTimeoutMS=120000")) {
            client.getDatabase("admin").runCommand(new BsonDocument("ping", new BsonInt32(1)));
        }
    }

    public String uri() {
        return "mongodb://127.0.0.1:" + port;
    }

    /** Sends SIGKILL and waits for the end. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Starts an empty server on the same port, after {@link #kill}. */
    public void restart() {
        process = launch();
        awaitAnswer();
    }

    @Override
    public void close() {
        kill();
    }
}
