package io.uniserve.runtime.disk;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.IdGenerator;
import io.uniserve.runtime.async.DiskErrorMapper;
import java.io.IOException;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Data directory of a server, locked while open. {@code server.id} has the server's id, its cluster and the format;
 * {@code incarnation} grows at every start. {@link #files} is for the protocol. {@link #scratch} is for engines, and is emptied at
 * every start. Not thread-safe.
 */
public final class DataDirectory implements AutoCloseable {
    private static final String FORMAT = "1";
    private static final String IDENTITY = "server.id";
    private static final String INCARNATION = "incarnation";
    private static final String UNFINISHED = "~";
    private static final String WHAT = "data directory";
    private static final int ENTRIES_TOLD = 5;
    private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);

    /** Entries of an empty volume or of an interrupted first start. */
    private static final Set<String> IGNORED_ENTRIES = Set.of("lost+found", "lock", IDENTITY + UNFINISHED);

    private final Path root;
    private final DirectoryLock lock;
    private final ServerId server;
    private final long incarnation;

    private DataDirectory(Path root, DirectoryLock lock, ServerId server, long incarnation) {
        this.root = root;
        this.lock = lock;
        this.server = server;
        this.incarnation = incarnation;
    }

    /**
     * Opens and locks a data directory of a cluster. If it rejects the directory, it changes nothing.
     *
     * @param create true to create it, with a new server id, if it is missing or empty; its parent must exist
     * @throws UniserveException INVALID_CONFIGURATION if it is missing or empty and may not be created, read-only, in use, of
     *     another format or not a data directory; WRONG_CLUSTER if it belongs to another cluster; CORRUPT if its identity cannot be
     *     read; DISK_FULL; IO
     */
    public static DataDirectory open(Path root, String cluster, boolean create, IdGenerator ids) {
        return open(root, cluster, create, Optional.empty(), ids);
    }

    /**
     * The same with a given id of the server, which a new directory gets.
     *
     * @param given required id of the server; empty for a random one, and for any in a directory that exists
     * @throws UniserveException as above; INVALID_CONFIGURATION too if the directory belongs to a server with another id
     */
    public static DataDirectory open(
            Path root, String cluster, boolean create, Optional<ServerId> given, IdGenerator ids) {
        boolean isNew = isNew(root, create);
        DirectoryLock lock = DirectoryLock.acquire(root, WHAT, create);
        try {
            if (isNew && !Files.exists(root.resolve(IDENTITY))) {
                writeIdentity(root, given.map(ServerId::value).orElseGet(() -> newServer(ids)), cluster);
                LOG.warn("{} {} was empty: this is a new server without data", WHAT, root);
            }
            Properties identity = identity(root, cluster);
            String present = identity.getProperty("server");
            if (given.isPresent() && !given.get().value().equals(present)) {
                throw new UniserveException(
                        ErrorCode.INVALID_CONFIGURATION,
                        WHAT + " " + root + " belongs to server " + present + ", not " + given.get()
                                + "; correct server.id, or choose another directory");
            }
            long incarnation = nextIncarnation(root);
            DataDirectory opened = new DataDirectory(root, lock, new ServerId(present), incarnation);
            DurableFileOperations.createDirectories(opened.files());
            DurableFileOperations.deleteTree(opened.scratch());
            Files.createDirectories(opened.scratch());
            return opened;
        } catch (IOException e) {
            lock.close();
            throw DiskErrorMapper.of("cannot use " + WHAT + " " + root, e);
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** True if a new server may be created: the directory is empty or missing, and the caller permits it. */
    private static boolean isNew(Path root, boolean create) {
        if (Files.exists(root.resolve(IDENTITY)) || (Files.exists(root) && !Files.isDirectory(root))) {
            return false;
        }
        List<String> there = entries(root);
        if (!there.isEmpty()) {
            throw refuse(root, "has no " + IDENTITY + " but " + String.join(", ", there), "choose another directory");
        }
        if (!create) {
            String what = Files.exists(root) ? "is empty" : "does not exist";
            throw refuse(root, what, "for the first start of a new server set server.new-data-dir (--new)");
        }
        Path parent = root.toAbsolutePath().normalize().getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            throw refuse(root, "cannot be made: there is no directory " + parent, "make that one first");
        }
        return true;
    }

    private static List<String> entries(Path root) {
        if (!Files.exists(root)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(root)) {
            return entries.map(entry -> entry.getFileName().toString())
                    .filter(name -> !IGNORED_ENTRIES.contains(name))
                    .sorted()
                    .limit(ENTRIES_TOLD)
                    .toList();
        } catch (IOException e) {
            throw DiskErrorMapper.of("cannot read " + WHAT + " " + root, e);
        }
    }

    private static UniserveException refuse(Path root, String what, String remedy) {
        return new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                WHAT + " " + root + " " + what + "; check the path and the mount, or " + remedy);
    }

    /** Id of the server, the same at every start. */
    public ServerId server() {
        return server;
    }

    /** Incarnation of the server; it grows at every start. */
    public long incarnation() {
        return incarnation;
    }

    /** Directory of the protocol's files. */
    public Path files() {
        return root.resolve("files");
    }

    /** Directory of the engines' live files, which are not used after a restart. */
    public Path scratch() {
        return root.resolve("scratch");
    }

    /** Unlocks the directory. Idempotent. */
    @Override
    public void close() {
        lock.close();
    }

    /** Random UUID: version 4, variant 2 of RFC 4122. */
    private static String newServer(IdGenerator ids) {
        long high = ids.next() & ~0xf000L | 0x4000L;
        long low = ids.next() & 0x3fffffffffffffffL | 0x8000000000000000L;
        return new UUID(high, low).toString();
    }

    private static Properties identity(Path root, String cluster) throws IOException {
        Properties identity = new Properties();
        identity.load(new StringReader(Files.readString(root.resolve(IDENTITY))));
        check(root, identity);
        String bound = identity.getProperty("cluster");
        if (!cluster.equals(bound)) {
            throw new UniserveException(
                    ErrorCode.WRONG_CLUSTER,
                    WHAT + " " + root + " belongs to cluster " + bound + ", not " + cluster
                            + "; check the ZooKeeper address and the cluster's name, or choose another directory");
        }
        return identity;
    }

    private static void check(Path root, Properties identity) {
        String format = identity.getProperty("format");
        if (format == null || identity.getProperty("server") == null || identity.getProperty("cluster") == null) {
            throw new UniserveException(
                    ErrorCode.CORRUPT,
                    "file " + root.resolve(IDENTITY) + " is damaged; restore it, or start with a new, empty directory");
        }
        if (!format.equals(FORMAT)) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    WHAT + " " + root + " has format " + format + ", this version reads " + FORMAT
                            + "; start the version that wrote it");
        }
    }

    private static void writeIdentity(Path root, String server, String cluster) throws IOException {
        write(root, IDENTITY, "format=" + FORMAT + "\nserver=" + server + "\ncluster=" + cluster + "\n");
    }

    private static long nextIncarnation(Path root) throws IOException {
        Path file = root.resolve(INCARNATION);
        long last = 0;
        if (Files.exists(file)) {
            try {
                last = Long.parseLong(Files.readString(file).strip());
            } catch (NumberFormatException e) {
                throw new UniserveException(
                        ErrorCode.CORRUPT,
                        "file " + file + " is damaged; write a number larger than any incarnation of this server",
                        e);
            }
        }
        write(root, INCARNATION, (last + 1) + "\n");
        return last + 1;
    }

    private static void write(Path root, String name, String text) throws IOException {
        Path unfinished = root.resolve(name + UNFINISHED);
        DurableFileOperations.writeNew(unfinished, List.of(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))));
        Files.move(unfinished, root.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        DurableFileOperations.syncDirectory(root);
    }
}
