package io.uniserve.benchmark.updates;

import io.uniserve.api.Actor;
import io.uniserve.api.ActorContext;
import io.uniserve.api.Document;
import io.uniserve.api.EngineContext;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.Row;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.runtime.port.LoadedPort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;

/**
 * Floor of an update: the engine alone in this process, with one actor, behind a log of its own with one fsync per update. Applied rows are
 * published to readers. The engine's own files are not synced, because the log has their content. For one thread.
 */
final class BareEngineUpdate implements AutoCloseable {
    private final FileChannel log;
    private final LoadedPort port;
    private final EngineInstance engine;
    private final Actor actor;
    private final EventualUpdate<?, ?> function;
    private long index;

    BareEngineUpdate(Path directory, UpdatesPort measured) {
        TableMeta meta = new TableMeta(
                new TableName("bare"),
                1,
                new Partitioner.Hash(1),
                measured.key(),
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                measured.port(),
                Map.of());
        Path scratch = folder(directory.resolve("bare-engine"));
        Path rows = folder(directory.resolve("bare-actor"));
        port = measured.loadEngine();
        engine = port.call(() -> port.engine().open(new EngineContext(scratch, Map.of())));
        actor = port.call(() -> engine.actors().create(new ActorContext(meta, 0, rows)));
        function = engine.updates().stream()
                .filter(each -> each.id().equals(measured.function()))
                .filter(EventualUpdate.class::isInstance)
                .map(EventualUpdate.class::cast)
                .findFirst()
                .orElseThrow();
        try {
            log = FileChannel.open(
                    directory.resolve("bare.log"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static Path folder(Path folder) {
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static UniserveException failed(IOException cause) {
        return new UniserveException(ErrorCode.IO, "the bare engine or its log failed", cause);
    }

    /** Logs the rows with an fsync, then decodes and applies them from the logged bytes, as every log must be able to. */
    void update(List<Document> rows) {
        Bytes encoded = Codecs.list(Document.CODEC).encode(rows);
        append(encoded.buffer());
        port.call(() -> apply(function, encoded));
    }

    private <A extends Actor, R extends Row> boolean apply(EventualUpdate<A, R> update, Bytes encoded) {
        update.update(
                update.actorType().cast(actor),
                new UpdateContext(++index),
                Codecs.list(update.rows()).decode(encoded));
        actor.publish();
        return true;
    }

    /** Appends a few bytes with one fsync. */
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
        port.call(() -> {
            engine.close();
            return true;
        });
        try {
            log.close();
        } catch (IOException e) {
            throw failed(e);
        }
    }
}
