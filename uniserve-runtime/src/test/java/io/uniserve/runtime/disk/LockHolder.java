package io.uniserve.runtime.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Process that opens a data directory, signals this by a file, and holds it until its input ends. */
public final class LockHolder {
    private LockHolder() {}

    /** Arguments: the data directory, and the file of the signal. */
    public static void main(String[] arguments) throws IOException {
        long[] next = {1};
        try (DataDirectory held = DataDirectory.open(Path.of(arguments[0]), "c1", true, () -> next[0]++)) {
            Files.writeString(Path.of(arguments[1]), held.server().value());
            int read = System.in.read();
            if (read >= 0) {
                throw new IOException("unexpected input");
            }
        }
    }
}
