package io.uniserve.port.kv;

import io.uniserve.api.ActorUsage;
import io.uniserve.api.Document;
import io.uniserve.api.SnapshotActor;
import io.uniserve.codec.Bytes;
import io.uniserve.model.PartitionKey;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Documents by key in a concurrent sorted map: readers never wait for the one writer. A view for a session is a copy of the
 * map, which is all that this small engine has to offer.
 */
public final class KvActor implements SnapshotActor<KvActor>, AutoCloseable {
    private final ConcurrentSkipListMap<String, Document> documents;
    private final AtomicLong bytes = new AtomicLong();
    private final ReentrantLock updating = new ReentrantLock();

    KvActor(SortedMap<String, Document> initial) {
        documents = new ConcurrentSkipListMap<>(initial);
        bytes.set(initial.values().stream().mapToLong(KvActor::size).sum());
    }

    @Override
    public KvActor snapshot() {
        updating.lock();
        try {
            return new KvActor(documents);
        } finally {
            updating.unlock();
        }
    }

    /** Runs one update, of which no view shows a part. */
    void update(Runnable work) {
        updating.lock();
        try {
            work.run();
        } finally {
            updating.unlock();
        }
    }

    /** The key as the map orders it; numbers and texts never meet. */
    static String keyOf(Document document) {
        return keyOf(document.partitionKey());
    }

    static String keyOf(PartitionKey key) {
        return key instanceof PartitionKey.Number number
                ? "n" + number.value()
                : "t" + ((PartitionKey.Text) key).value();
    }

    Optional<Document> get(String key) {
        return Optional.ofNullable(documents.get(key));
    }

    /** Documents whose text key starts with the prefix, in key order; all documents for the empty prefix. */
    NavigableMap<String, Document> withPrefix(String prefix) {
        return prefix.isEmpty()
                ? documents
                : documents.subMap("t" + prefix, true, "t" + prefix + Character.MAX_VALUE, true);
    }

    void put(Document document) {
        Document old = documents.put(keyOf(document), document);
        bytes.addAndGet(size(document) - (old == null ? 0 : size(old)));
    }

    void remove(String key) {
        Document old = documents.remove(key);
        if (old != null) {
            bytes.addAndGet(-size(old));
        }
    }

    private static long size(Document document) {
        long size = 64;
        for (Map.Entry<String, ?> field : document.fields().entrySet()) {
            size += 48
                    + field.getKey().length()
                    + String.valueOf(field.getValue()).length();
        }
        return size;
    }

    @Override
    public ActorUsage usage() {
        return new ActorUsage(documents.size(), bytes.get(), 0);
    }

    @Override
    public void writeTo(Path directory) {
        KvFiles.write(directory, documents.values());
    }

    @Override
    public byte[] digest() {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            for (Document document : documents.values()) {
                Bytes encoded = Document.CODEC.encode(document);
                sha.update(encoded.buffer());
            }
            return sha.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public void destroy() {
        documents.clear();
    }

    @Override
    public void close() {
        // Memory only: nothing to release, and running readers may finish.
    }
}
