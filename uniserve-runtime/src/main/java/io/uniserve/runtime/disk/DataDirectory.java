package io.uniserve.runtime.disk;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Ids;
import io.uniserve.runtime.async.DiskErrors;
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
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A server's data directory, locked while open. {@code server.id} holds the server's identity, the cluster it belongs to
 * and the format; {@code incarnation} grows at every start. {@link #files} is for the protocol, {@link #scratch} for
 * engines and empty at every start. Not thread-safe.
 */
public final class DataDirectory implements AutoCloseable {
    private static final String FORMAT = "1";
    private static final String IDENTITY = "server.id";
    private static final String INCARNATION = "incarnation";
    private static final String WHAT = "data directory";

    private final Path root;
    private final DirectoryLock lock;
    private final ServerId server;
    private final long incarnation;
    private @Nullable String clusterId;

    private DataDirectory(
            Path root, DirectoryLock lock, ServerId server, long incarnation, @Nullable String clusterId) {
        this.root = root;
        this.lock = lock;
        this.server = server;
        this.incarnation = incarnation;
        this.clusterId = clusterId;
    }

    /**
     * Opens a data directory and locks it.
     *
     * @param create make it, with a new identity, where it is missing or empty
     * @throws UniserveException INVALID_CONFIGURATION where it is missing, read-only, in use, of another format or not a
     *     data directory at all; CORRUPT where its identity cannot be read; DISK_FULL, IO
     */
    public static DataDirectory open(Path root, boolean create, Ids ids) {
        DirectoryLock lock = DirectoryLock.take(root, WHAT, create);
        try {
            Properties identity = identity(root, create, ids);
            long incarnation = nextIncarnation(root);
            DataDirectory opened = new DataDirectory(
                    root,
                    lock,
                    new ServerId(identity.getProperty("server")),
                    incarnation,
                    identity.getProperty("cluster"));
            DurableFiles.createDirectories(opened.files());
            DurableFiles.deleteTree(opened.scratch());
            Files.createDirectories(opened.scratch());
            return opened;
        } catch (IOException e) {
            lock.close();
            throw DiskErrors.of("cannot use " + WHAT + " " + root, e);
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** The server's identity, the same at every start. */
    public ServerId server() {
        return server;
    }

    /** Larger at every start. */
    public long incarnation() {
        return incarnation;
    }

    /** The cluster whose data these are; empty before the first {@link #join}. */
    public Optional<String> clusterId() {
        return Optional.ofNullable(clusterId);
    }

    /** Where the protocol's files are. */
    public Path files() {
        return root.resolve("files");
    }

    /** Where engines keep live files, which never outlive the process. */
    public Path scratch() {
        return root.resolve("scratch");
    }

    /** Binds the directory to a cluster, for good; WRONG_CLUSTER where it is bound to another. */
    public void join(String cluster) {
        if (clusterId != null && !clusterId.equals(cluster)) {
            throw new UniserveException(
                    ErrorCode.WRONG_CLUSTER,
                    WHAT + " " + root + " belongs to cluster " + clusterId + ", not " + cluster
                            + "; check the ZooKeeper address and the cluster's name, or choose another directory");
        }
        if (clusterId == null) {
            try {
                writeIdentity(root, server.value(), cluster);
            } catch (IOException e) {
                throw DiskErrors.of("cannot write " + IDENTITY + " of " + WHAT + " " + root, e);
            }
            clusterId = cluster;
        }
    }

    /** Frees the directory. Idempotent. */
    @Override
    public void close() {
        lock.close();
    }

    private static Properties identity(Path root, boolean create, Ids ids) throws IOException {
        Path file = root.resolve(IDENTITY);
        if (!Files.exists(file)) {
            if (!create || Files.exists(root.resolve("files")) || Files.exists(root.resolve(INCARNATION))) {
                throw new UniserveException(
                        ErrorCode.INVALID_CONFIGURATION,
                        WHAT + " " + root + " has no " + IDENTITY
                                + "; check the path and the mount, or start with a new, empty directory");
            }
            // Version 4, variant 2, as RFC 4122 marks random identities.
            long high = ids.next() & ~0xf000L | 0x4000L;
            long low = ids.next() & 0x3fffffffffffffffL | 0x8000000000000000L;
            writeIdentity(root, new UUID(high, low).toString(), null);
        }
        Properties identity = new Properties();
        identity.load(new StringReader(Files.readString(file)));
        check(root, identity);
        return identity;
    }

    private static void check(Path root, Properties identity) {
        String format = identity.getProperty("format");
        if (format == null || identity.getProperty("server") == null) {
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

    private static void writeIdentity(Path root, String server, @Nullable String cluster) throws IOException {
        write(
                root,
                IDENTITY,
                "format=" + FORMAT + "\nserver=" + server + "\n"
                        + (cluster == null ? "" : "cluster=" + cluster + "\n"));
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
        Path unfinished = root.resolve(name + "~");
        DurableFiles.writeNew(unfinished, List.of(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))));
        Files.move(unfinished, root.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        DurableFiles.syncDirectory(root);
    }
}
