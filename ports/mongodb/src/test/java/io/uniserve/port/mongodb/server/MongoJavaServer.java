package io.uniserve.port.mongodb.server;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.bson.BsonDocument;
import org.bson.BsonInt32;

/** mongo-java-server as a process of its own, which a test kills. After a restart it is empty. Not thread-safe. */
public final class MongoJavaServer implements AutoCloseable {
    private final int port;
    private final File log;
    private Process process;

    private MongoJavaServer(int port, File log) {
        this.port = port;
        this.log = log;
        this.process = launch();
    }

    /** Main method of the process: the port is the argument. */
    public static void main(String[] arguments) throws InterruptedException {
        MongoServer server = new MongoServer(new MemoryBackend());
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

    /** Starts a process on a free port. */
    public static MongoJavaServer start(Path folder) {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int free = socket.getLocalPort();
            socket.close();
            MongoJavaServer started = new MongoJavaServer(
                    free, folder.resolve("server-" + free + ".log").toFile());
            started.awaitAnswer();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process launch() {
        List<String> command = new java.util.ArrayList<>(command());
        command.add(String.valueOf(port));
        try {
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
