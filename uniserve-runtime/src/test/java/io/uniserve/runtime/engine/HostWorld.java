package io.uniserve.runtime.engine;

import io.uniserve.api.Document;
import io.uniserve.api.Engine;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.EngineHost.Update;
import io.uniserve.runtime.async.Loop;
import io.uniserve.runtime.async.Waiter;
import io.uniserve.runtime.port.LoadedPort;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Engine host with one engine, two threads and a clock that a test moves. */
final class HostWorld implements AutoCloseable {
    static final ReplicaKey KEY = new ReplicaKey(7, 3);
    static final ReplicaKey OTHER = new ReplicaKey(7, 4);
    static final int THREADS = 2;

    final AtomicLong nanos = new AtomicLong();
    final List<Throwable> fatal = new CopyOnWriteArrayList<>();
    final Path data;
    final Path scratch;
    final PortEngineHost host;
    private final Loop loop = new Loop();
    private final String port;

    HostWorld(Path directory, Engine engine) {
        this.data = directory.resolve("files");
        this.scratch = directory.resolve("scratch");
        this.port = engine.info().name();
        this.host = new PortEngineHost(
                data,
                scratch,
                Map.of(port, LoadedPort.of(engine)),
                Map.of(),
                new EngineCallExecutor(THREADS, loop, nanos::get, fatal::add));
    }

    TableMeta meta() {
        return meta(ConsistencyLevel.EVENTUAL);
    }

    TableMeta meta(ConsistencyLevel level) {
        return new TableMeta(
                new TableName("things"), 7, new Partitioner.Hash(8), "id", level, 1, 1, OnLoss.WAIT, port, Map.of());
    }

    HostWorld created(ReplicaKey key) {
        Waiter.<Done>value(done -> host.create(key, meta(), done));
        return this;
    }

    void apply(ReplicaKey key, String function, Bytes rows, Completion<Done> done) {
        host.apply(key, List.of(new Update(1, function, rows)), false, done);
    }

    /** Batch of documents with these keys. */
    static Bytes rows(String... keys) {
        BinaryWriter out = new BinaryWriter().writeInt(keys.length);
        for (String key : keys) {
            Document.CODEC.write(out, new Document("id", Map.of("id", key)));
        }
        return out.toBytes();
    }

    @Override
    public void close() {
        host.close();
        loop.close();
    }
}
