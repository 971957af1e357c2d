package io.uniserve.benchmark.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Owners of local TCP ports, from {@code /proc}. Thread-safe. */
final class SocketOwnerResolver {
    private static final int LOCAL = 1;
    private static final int INODE = 9;

    private SocketOwnerResolver() {}

    /** Returns the name of the process among these, by process id, that has a socket with this local port; empty if none has. */
    static Optional<String> ownerOf(int port, Map<Long, String> processes) {
        String suffix = ":%04X".formatted(port);
        try {
            for (String table : List.of("/proc/net/tcp6", "/proc/net/tcp")) {
                Path file = Path.of(table);
                if (!Files.isReadable(file)) {
                    continue;
                }
                for (String line : Files.readAllLines(file)) {
                    String[] fields = line.trim().split("\\s+");
                    if (fields.length > INODE && fields[LOCAL].endsWith(suffix) && !fields[INODE].equals("0")) {
                        Optional<String> owner = owner("socket:[" + fields[INODE] + "]", processes);
                        if (owner.isPresent()) {
                            return owner;
                        }
                    }
                }
            }
        } catch (IOException e) {
            return Optional
                    .empty(); // the table changed during the read: counted as a foreign process, whose link never fails
        }
        return Optional.empty();
    }

    private static Optional<String> owner(String socket, Map<Long, String> processes) {
        return processes.entrySet().stream()
                .filter(process -> has(process.getKey(), socket))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    private static boolean has(long pid, String socket) {
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return files.anyMatch(file -> isLinkTo(file, socket));
        } catch (IOException e) {
            return false; // the process has ended
        }
    }

    private static boolean isLinkTo(Path file, String socket) {
        try {
            return Files.readSymbolicLink(file).toString().equals(socket);
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }
}
