package io.uniserve.cli.bench;

import io.uniserve.api.ActorContext;
import io.uniserve.api.Document;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import io.uniserve.port.kv.KvActor;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.port.kv.KvUpdates;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;

/** The floor of an update: the engine alone in this process, behind a log of its own with one fsync an update. For one thread. */
final class BareEngine implements AutoCloseable {
    private final FileChannel log;
    private final EngineInstance engine;
    private final KvActor actor;
    private long index;

    BareEngine(Path directory) {
        TableMeta meta = new TableMeta(
                new TableName("bare"),
                1,
                new Partitioner.Hash(1),
                "key",
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                KvEngine.NAME,
                Map.of());
        engine = new KvEngine().open(new EngineContext(directory, Map.of()));
        actor = (KvActor) engine.actors().create(new ActorContext(meta, 0, directory));
        try {
            log = FileChannel.open(
                    directory.resolve("bare.log"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static UniserveException failed(IOException cause) {
        return new UniserveException(ErrorCode.IO, "the bare log failed", cause);
    }

    /** Writes the rows, syncs them, and applies them from what was written, as any log must be able to. */
    void update(List<Document> rows) {
        Bytes encoded = Codecs.list(Document.CODEC).encode(rows);
        append(encoded.buffer());
        KvUpdates.PUT.update(
                actor, new UpdateContext(++index), Codecs.list(Document.CODEC).decode(encoded));
        actor.publish();
    }

    /** One fsync of a few bytes. */
    void sync() {
        append(ByteBuffer.allocate(200));
    }

    private void append(ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                int unused = log.write(bytes);
            }
            log.force(false);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public void close() {
        engine.close();
        try {
            log.close();
        } catch (IOException e) {
            throw failed(e);
        }
    }
}
