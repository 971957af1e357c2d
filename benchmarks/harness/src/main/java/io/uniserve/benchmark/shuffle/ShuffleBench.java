package io.uniserve.benchmark.shuffle;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.plan.Distribution;
import io.uniserve.benchmark.floor.BareCall;
import io.uniserve.benchmark.measure.CpuPinning;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.exchange.ExchangeLimits;
import io.uniserve.protocol.exchange.GatherEnvelope;
import io.uniserve.protocol.exchange.ScatterEnvelope;
import io.uniserve.protocol.exchange.ScatterManifest;
import io.uniserve.protocol.message.ExchangeId;
import io.uniserve.runtime.disk.FileDisk;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcNetwork;
import io.uniserve.runtime.transport.connection.ConnectionTracker;
import io.uniserve.runtime.transport.connection.TransportThreads;
import io.uniserve.runtime.transport.server.GrpcServer;
import io.uniserve.server.exchange.ExchangeHost;
import io.uniserve.server.exchange.GatherInputs;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** Two exchanges in this process that communicate over the network, and a bare stream of the same bytes. Not thread-safe. */
final class ShuffleBench implements AutoCloseable {
    private static final int WINDOW_BYTES = 4 << 20;
    private static final long MINUTE_NANOS = 60_000_000_000L;
    private static final String PRODUCER = "bench-producer";
    private static final String CONSUMER = "bench-consumer";
    /** Threads of the exchange that sends, and of both servers. */
    private static final List<String> PRODUCER_THREADS = List.of(PRODUCER, TransportThreads.NAME);
    /** Threads of the exchange that receives, of both clients, and of the caller. */
    private static final List<String> CONSUMER_THREADS = List.of(CONSUMER, "grpc-default-worker", "java");

    private static final ExchangeId ID = new ExchangeId(1, 1);
    private static final MethodDescriptor<byte[], byte[]> STREAM = BareCall.METHOD.toBuilder()
            .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
            .setFullMethodName(MethodDescriptor.generateFullMethodName("uniserve.bench.Bare", "Stream"))
            .build();

    private final int sources;
    private final int slots;
    private final int chunkBytes;
    private final long bytes;
    private final List<AutoCloseable> closing = new ArrayList<>();
    private final ExchangeHost consumer;
    private final ManagedChannel bare;
    private final GatherEnvelope frame;

    /**
     * @param sources number of actors that scatter
     * @param slots number of slots; each actor has one chunk per slot
     */
    ShuffleBench(Path directory, int sources, int slots, int chunkBytes) throws IOException {
        this.sources = sources;
        this.slots = slots;
        this.chunkBytes = chunkBytes;
        this.bytes = (long) sources * slots * chunkBytes;
        // All chunks fit into memory, because the transfer between servers is measured.
        long room = 4 * (bytes + 64L * sources * slots);
        ExchangeLimits limits = new ExchangeLimits(
                room,
                room,
                room,
                room,
                ExchangeLimits.DEFAULTS.inFlightBytes(),
                ExchangeLimits.DEFAULTS.pieceBytes(),
                ExchangeLimits.DEFAULTS.pullTimeoutNanos(),
                ExchangeLimits.DEFAULTS.pullAttempts());
        ClusterIdentity cluster = ClusterIdentity.of("bench");
        CompletableFuture<ExchangeHost> served = new CompletableFuture<>();
        GrpcServer server = closeLater(GrpcServer.builder(cluster)
                .peers((request, completion) -> served.join().handlePeerRequest(request, completion))
                .start("127.0.0.1", 0));
        Address address = new Address("127.0.0.1", server.port());
        ExchangeHost producer = openExchange(PRODUCER, directory, cluster, address, limits);
        served.complete(producer);
        consumer = openExchange(CONSUMER, directory, cluster, new Address("127.0.0.1", 1), limits);
        Server stream = startBare();
        closing.add(stream::shutdownNow);
        bare = NettyChannelBuilder.forAddress("127.0.0.1", stream.getPort())
                .usePlaintext()
                .directExecutor()
                .flowControlWindow(WINDOW_BYTES)
                .maxInboundMessageSize(2 * ExchangeLimits.DEFAULTS.pieceBytes())
                .build();
        closing.add(bare::shutdownNow);
        frame = frame(producer);
    }

    private <T extends AutoCloseable> T closeLater(T resource) {
        closing.add(resource);
        return resource;
    }

    private ExchangeHost openExchange(
            String name, Path directory, ClusterIdentity cluster, Address self, ExchangeLimits limits) {
        EventLoop loop = closeLater(new EventLoop(name, SystemClock.INSTANCE, error -> {
            throw new IllegalStateException(error);
        }));
        ChannelPool channels = closeLater(new ChannelPool(SystemClock.INSTANCE, TlsFiles.PLAIN));
        FileDisk disk = closeLater(new FileDisk(directory.resolve(name), 1, loop));
        return new ExchangeHost(
                SystemClock.INSTANCE, loop, new GrpcNetwork(channels, cluster, loop), disk, self, limits, 1);
    }

    /** Sends as many pieces as the request says, at the speed of the receiver. */
    private Server startBare() throws IOException {
        byte[] piece = new byte[ExchangeLimits.DEFAULTS.pieceBytes()];
        new Random(1).nextBytes(piece);
        ServerServiceDefinition service = ServerServiceDefinition.builder("uniserve.bench.Bare")
                .addMethod(STREAM, ServerCalls.asyncServerStreamingCall((request, observer) -> {
                    ServerCallStreamObserver<byte[]> out = (ServerCallStreamObserver<byte[]>) observer;
                    long[] left = {bytes};
                    out.setOnReadyHandler(() -> {
                        while (out.isReady() && left[0] > 0) {
                            out.onNext(piece);
                            left[0] -= piece.length;
                            if (left[0] <= 0) {
                                out.onCompleted();
                            }
                        }
                    });
                }))
                .build();
        return closeLater(TransportThreads.create())
                .serve(
                        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0)),
                        new ConnectionTracker(chain -> true))
                .directExecutor()
                .flowControlWindow(WINDOW_BYTES)
                .addService(service)
                .build()
                .start();
    }

    /** Creates incompressible chunks. */
    private GatherEnvelope frame(ExchangeHost producer) {
        List<ScatterManifest> receipts = new ArrayList<>();
        for (int actor = 0; actor < sources; actor++) {
            Random random = new Random(actor);
            receipts.add(producer.scatter(
                    new ScatterEnvelope(ID, 0, slots, Bytes.EMPTY), "", new BenchContext(actor), sink -> {
                        for (int slot = 0; slot < slots; slot++) {
                            byte[] chunk = new byte[chunkBytes];
                            random.nextBytes(chunk);
                            sink.put(slot, 1, Bytes.wrap(chunk));
                        }
                    }));
        }
        return new GatherEnvelope(
                ID,
                actors(),
                List.of(new GatherEnvelope.Input(0, Distribution.PARTITIONED, receipts)),
                Optional.empty(),
                Bytes.EMPTY);
    }

    private List<Integer> actors() {
        return IntStream.range(0, slots).boxed().toList();
    }

    /** Returns the operation of one shuffle: all chunks are fetched, checked, stored, and released. */
    PairedBenchmark.Operation exchangeOperation() {
        return n -> measureWhileHeld(() -> 0);
    }

    /** Returns the live heap while all chunks are stored. */
    long liveBytes() {
        return measureWhileHeld(() -> {
            System.gc();
            return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        });
    }

    private long measureWhileHeld(LongSupplier look) {
        CompletableFuture<Outcome<GatherInputs>> here = new CompletableFuture<>();
        try (GatherInputs unused = consumer.fetchInputs(frame, "", actors(), MINUTE_NANOS, here::complete)) {
            if (here.join() instanceof Outcome.Err<GatherInputs> failed) {
                throw failed.error();
            }
            return look.getAsLong();
        }
    }

    /**
     * Returns the operation that sends the same bytes on one stream.
     *
     * @param keeps true to keep all pieces until the last has arrived
     */
    PairedBenchmark.Operation bareOperation(boolean keeps) {
        return n -> {
            List<byte[]> kept = new ArrayList<>();
            long got = 0;
            Iterator<byte[]> pieces =
                    ClientCalls.blockingServerStreamingCall(bare, STREAM, CallOptions.DEFAULT, new byte[0]);
            while (pieces.hasNext()) {
                byte[] piece = pieces.next();
                got += piece.length;
                if (keeps) {
                    kept.add(piece);
                }
            }
            if (got < bytes || (keeps && kept.isEmpty())) {
                throw new UniserveException(ErrorCode.INTERNAL, "the bare stream gave " + got + " bytes");
            }
        };
    }

    /** Pins the sending threads to the first core and the receiving ones to the second, for all later runs. */
    void pinThreads(CpuPinning cores) {
        exchangeOperation().run(0); // the first call starts their threads
        bareOperation(false).run(0);
        cores.pinThreads(0, PRODUCER_THREADS);
        cores.pinThreads(1, CONSUMER_THREADS);
    }

    @Override
    public void close() {
        for (int i = closing.size() - 1; i >= 0; i--) {
            try {
                closing.get(i).close();
            } catch (Exception e) {
                throw new IllegalStateException("cannot close", e);
            }
        }
    }

    /** Context of a caller with one hour of time. */
    private record BenchContext(int actor) implements OperatorContext {
        @Override
        public long remainingNanos() {
            return TimeUnit.HOURS.toNanos(1);
        }

        @Override
        public void checkActive() {
            // This caller never cancels.
        }
    }
}
