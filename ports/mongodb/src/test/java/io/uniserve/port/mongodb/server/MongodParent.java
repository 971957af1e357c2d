package io.uniserve.port.mongodb.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Process that starts a mongod, writes its process id to a file, and waits to be killed. */
final class MongodParent {
    private MongodParent() {}

    /** Arguments: the program, the folder of its files, and the file of its process id. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        MongodExecutable program = MongodExecutable.find(Map.of(MongodExecutable.MONGOD, arguments[0]), "")
                .orElseThrow();
        MongodProcess process = MongodProcess.start(program, Path.of(arguments[1]));
        Path file = Path.of(arguments[2]);
        Path unfinished = Path.of(arguments[2] + "~");
        Files.writeString(unfinished, String.valueOf(process.pid()));
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        new CountDownLatch(1).await();
    }
}
