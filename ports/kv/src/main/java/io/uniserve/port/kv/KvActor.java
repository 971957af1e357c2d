package io.uniserve.port.kv;

import io.uniserve.api.ActorUsage;
import io.uniserve.api.Document;
import io.uniserve.api.extra.SnapshotActor;
import io.uniserve.model.PartitionKey;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Map;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Actor of the key-value port: documents by key. Readers never wait for the single writer, and see each update as a whole. A view for a
 * session or a version is an immutable tree, which later updates do not change.
 */
public final class KvActor implements SnapshotActor<KvActor> {
    private final ReentrantLock updateLock = new ReentrantLock();
    private volatile KvTree tree;
    private KvTree.Editor editor;

    KvActor(KvTree initial) {
        tree = initial;
        editor = initial.edit();
    }

    /** Returns an actor with these documents. */
    static KvActor of(Iterable<Document> documents) {
        KvActor actor = new KvActor(KvTree.EMPTY);
        actor.update(() -> documents.forEach(actor::put));
        return actor;
    }

    @Override
    public KvActor snapshot() {
        return new KvActor(tree);
    }

    @Override
    public boolean snapshotsShareData() {
        return true;
    }

    /** Runs one update; readers see none of it before its end. */
    void update(Runnable work) {
        updateLock.lock();
        try {
            editor = tree.edit();
            work.run();
            tree = editor.tree();
        } finally {
            updateLock.unlock();
        }
    }

    /** Returns the key in the order of the map; numbers and texts have disjoint prefixes. */
    static String keyOf(Document document) {
        return keyOf(document.partitionKey());
    }

    static String keyOf(PartitionKey key) {
        return key instanceof PartitionKey.Number number
                ? "n" + number.value()
                : "t" + ((PartitionKey.Text) key).value();
    }

    Optional<Document> get(String key) {
        return Optional.ofNullable(tree.get(key));
    }

    /** Returns a document within an update, including the changes so far. */
    Optional<Document> getInUpdate(String key) {
        return Optional.ofNullable(editor.get(key));
    }

    /** Returns the documents whose text key starts with the prefix, in key order; all documents for the empty prefix. */
    Stream<Document> withPrefix(String prefix) {
        String low = prefix.isEmpty() ? "" : "t" + prefix;
        Stream<Document> from = stream(low);
        return prefix.isEmpty()
                ? from
                : from.takeWhile(document -> keyOf(document).startsWith(low));
    }

    /** Returns the documents from the first key at or after this one, in key order: texts for a text, numbers for a number. */
    Stream<Document> from(String low) {
        return stream(low).takeWhile(document -> keyOf(document).charAt(0) == low.charAt(0));
    }

    private Stream<Document> stream(String low) {
        return StreamSupport.stream(
                Spliterators.spliteratorUnknownSize(tree.from(low), Spliterator.ORDERED | Spliterator.NONNULL), false);
    }

    /** Stores a document; only within an update. */
    void put(Document document) {
        String key = keyOf(document);
        Document old = editor.get(key);
        editor.put(key, document, size(document) - (old == null ? 0 : size(old)));
    }

    /** Removes a document; only within an update. */
    void remove(String key) {
        Document old = editor.get(key);
        if (old != null) {
            editor.remove(key, size(old));
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
        KvTree now = tree;
        return new ActorUsage(now.size(), now.bytes(), 0);
    }

    @Override
    public void writeTo(Path directory) {
        KvTree now = tree;
        KvCheckpointFile.write(directory, () -> now.from(""));
    }

    @Override
    public byte[] digest() {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            tree.from("")
                    .forEachRemaining(document ->
                            sha.update(Document.CODEC.encode(document).buffer()));
            return sha.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public void destroy() {
        tree = KvTree.EMPTY;
    }

    @Override
    public void close() {
        // Nothing to release: the data is in memory only, and running readers may finish.
    }
}
