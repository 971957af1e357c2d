package io.uniserve.benchmark.storage;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Durable storage under measurement: a directory, or a bucket of versitygw behind a {@link S3CountingProxy}. Objects of both are files
 * here, so their bytes are examined without the code that wrote them. Thread-safe.
 */
final class MeasuredStore implements AutoCloseable {
    /** End of the names of objects in a directory store, and of its folder of temporary files. */
    private static final String OBJECT = "~";

    private static final S3RequestCounts NONE = new S3RequestCounts(0, 0, 0, 0, 0, 0, 0, 0);
    private static final long SEED = 40;

    private final String name;
    private final Path root;
    private final Optional<VersityProcess> process;
    private final Optional<S3CountingProxy> proxy;

    private MeasuredStore(String name, Path root, Optional<VersityProcess> process, Optional<S3CountingProxy> proxy) {
        this.name = name;
        this.root = root;
        this.process = process;
        this.proxy = proxy;
    }

    /** Returns a store in directories below this one. */
    static MeasuredStore directory(Path directory) {
        return new MeasuredStore("directory", directory, Optional.empty(), Optional.empty());
    }

    /** Starts versitygw over a new directory, with a proxy in front of it. */
    static MeasuredStore bucket(Path program, Path directory, LongSupplier nanos) {
        VersityProcess process = new VersityProcess(program, directory, nanos);
        return new MeasuredStore(
                "versitygw",
                process.bucket(),
                Optional.of(process),
                Optional.of(new S3CountingProxy(process.port(), SEED)));
    }

    String name() {
        return name;
    }

    /** True if requests are counted. */
    boolean isCounted() {
        return proxy.isPresent();
    }

    /** Returns the value of {@code storage.location} for a prefix. */
    String location(String prefix) {
        return proxy.map(front -> "s3://" + VersityProcess.BUCKET + "/" + prefix
                        + "?path-style=true&endpoint=http://127.0.0.1:" + front.port())
                .orElseGet(() -> root.resolve(prefix).toString());
    }

    /** Returns the requests since the start; zeros if they are not counted. */
    S3RequestCounts counts() {
        return proxy.map(S3CountingProxy::counts).orElse(NONE);
    }

    /** Fails this share of the requests from now on. A directory fails none. */
    void failShare(double share) {
        proxy.ifPresent(front -> front.failShare(share));
    }

    /** Returns the sizes of the objects below a prefix in bytes, by key without the prefix. */
    SortedMap<String, Long> sizes(String prefix) {
        SortedMap<String, Long> sizes = new TreeMap<>();
        visit(prefix, (key, file) -> sizes.put(key, Files.size(file)));
        return sizes;
    }

    /** Returns the SHA-256 of the bytes of each object below a prefix, by key without the prefix. */
    SortedMap<String, String> hashes(String prefix) {
        SortedMap<String, String> hashes = new TreeMap<>();
        visit(prefix, (key, file) -> hashes.put(key, Sha256.hex(Bytes.wrap(Files.readAllBytes(file)))));
        return hashes;
    }

    private interface FileVisitor {
        void visit(String key, Path file) throws IOException;
    }

    private void visit(String prefix, FileVisitor visitor) {
        Path start = root.resolve(prefix);
        if (!Files.isDirectory(start)) {
            return;
        }
        try (Stream<Path> files = Files.walk(start)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String key = key(start.relativize(file).toString());
                if (!key.isEmpty() && Files.isRegularFile(file)) {
                    visitIfPresent(key, file, visitor);
                }
            }
        } catch (IOException | UncheckedIOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read the objects below " + start, e);
        }
    }

    /** Ignores an object that its owner deletes at the same time. */
    private static void visitIfPresent(String key, Path file, FileVisitor visitor) throws IOException {
        try {
            visitor.visit(key, file);
        } catch (NoSuchFileException e) {
            // The object was deleted after it was listed.
        }
    }

    /** Returns the key of a file; empty for one that is no object. */
    private String key(String path) {
        if (isCounted()) {
            return path.startsWith(".") || path.contains("/.") ? "" : path;
        }
        boolean isObject = path.endsWith(OBJECT) && !path.startsWith("unfinished" + OBJECT);
        return isObject ? path.substring(0, path.length() - 1) : "";
    }

    @Override
    public void close() {
        proxy.ifPresent(S3CountingProxy::close);
        process.ifPresent(VersityProcess::close);
    }
}
