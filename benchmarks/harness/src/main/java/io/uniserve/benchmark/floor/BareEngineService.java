package io.uniserve.benchmark.floor;

import io.grpc.Server;
import io.grpc.Status;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Bare engine behind a log. One thread appends the waiting updates to the log with one fsync, applies them, publishes them and then
 * acknowledges them: the durability of Uniserve's tables. The engine's own files are not synced, because the log has their content.
 */
public final class BareEngineService implements ServerCalls.UnaryMethod<byte[], byte[]>, AutoCloseable {
    private static final int BATCH_MAX = 1_024;
    private static final byte[] ACKNOWLEDGED = {};

    private final BareEngine engine;
    private final FileChannel log;
    private final ExecutorService readers;
    private final LinkedBlockingQueue<Update> updates = new LinkedBlockingQueue<>();
    private final Thread writer = new Thread(this::write, "bare-writer");

    private record Update(byte[] encoded, StreamObserver<byte[]> observer) {}

    /** @param threads number of concurrent reads that are not inline */
    private BareEngineService(BareEngine engine, Path logFile, int threads) throws IOException {
        this.engine = engine;
        this.log = FileChannel.open(logFile, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        this.readers = Executors.newFixedThreadPool(threads);
        writer.setDaemon(true);
        writer.start();
    }

    /** Serves an engine on a free port for the rest of this process. */
    public static void serve(BareEngine engine, Path logFile, int threads) throws Exception {
        try (BareEngineService service = new BareEngineService(engine, logFile, threads)) {
            Server server = BareServer.startServer(0, service);
            System.out.println("engine " + engine.name());
            System.out.println("ready bare-engine 127.0.0.1:" + server.getPort() + " pid "
                    + ProcessHandle.current().pid());
            server.awaitTermination();
        }
    }

    @Override
    public void invoke(byte[] encoded, StreamObserver<byte[]> observer) {
        BareRequest.Kind kind =
                BareRequest.Kind.values()[ByteBuffer.wrap(encoded).getInt()];
        if (kind.isUpdate()) {
            updates.add(new Update(encoded, observer));
        } else if (kind == BareRequest.Kind.READ && engine.readsInline()) {
            read(encoded, observer);
        } else {
            readers.execute(() -> read(encoded, observer));
        }
    }

    private void read(byte[] encoded, StreamObserver<byte[]> observer) {
        byte[] reply;
        try {
            BareRequest request = BareRequest.decode(encoded);
            reply = BareRequest.encodeReply(
                    request.kind() == BareRequest.Kind.READ
                            ? engine.read(request.key(), request.fields())
                            : engine.scan(request.key(), request.limit(), request.fields()));
        } catch (Exception e) {
            fail(observer, e);
            return;
        }
        observer.onNext(reply);
        observer.onCompleted();
    }

    private void write() {
        List<Update> batch = new ArrayList<>();
        try {
            while (true) {
                batch.add(updates.take());
                updates.drainTo(batch, BATCH_MAX);
                write(batch);
                batch.clear();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(List<Update> batch) {
        try {
            for (Update update : batch) {
                ByteBuffer bytes = ByteBuffer.wrap(update.encoded);
                while (bytes.hasRemaining()) {
                    int unused = log.write(bytes);
                }
            }
            log.force(false);
            for (Update update : batch) {
                apply(BareRequest.decode(update.encoded));
            }
            engine.publish();
        } catch (Exception | OutOfMemoryError e) { // a client would wait for ever
            batch.forEach(update -> fail(update.observer, e));
            return;
        }
        for (Update update : batch) {
            update.observer.onNext(ACKNOWLEDGED);
            update.observer.onCompleted();
        }
    }

    private void apply(BareRequest request) throws Exception {
        if (request.kind() == BareRequest.Kind.PUT) {
            engine.put(request.rows());
        } else if (request.kind() == BareRequest.Kind.DELETE) {
            engine.delete(request.rows());
        } else {
            engine.set(request.rows().get(0));
        }
    }

    private static void fail(StreamObserver<byte[]> observer, Throwable cause) {
        observer.onError(Status.INTERNAL
                .withDescription(String.valueOf(cause))
                .withCause(cause)
                .asRuntimeException());
    }

    @Override
    public void close() throws Exception {
        writer.interrupt();
        readers.shutdownNow();
        log.close();
        engine.close();
    }
}
