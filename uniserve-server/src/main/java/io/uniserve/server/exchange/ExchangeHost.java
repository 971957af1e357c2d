package io.uniserve.server.exchange;

import io.uniserve.api.operator.ChunkSink;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.exchange.ChunkCompressor;
import io.uniserve.protocol.exchange.ExchangeLimits;
import io.uniserve.protocol.exchange.ExchangeStateMachine;
import io.uniserve.protocol.exchange.GatherEnvelope;
import io.uniserve.protocol.exchange.ScatterEnvelope;
import io.uniserve.protocol.exchange.ScatterManifest;
import io.uniserve.protocol.message.ChunkInfo;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.ScatterRunId;
import io.uniserve.runtime.loop.EventLoop;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Exchange of one server: stores the chunks of scatters and fetches those of gathers. Workers compress and checksum chunks; the loop
 * only dispatches. Thread-safe.
 */
public final class ExchangeHost {
    /** Extra time over a deadline. The state machine itself reports an exceeded deadline; this only prevents an endless wait. */
    static final long SLACK_NANOS = 2_000_000_000L;

    private final EventLoop loop;
    private final Address self;
    private final ExchangeStateMachine machine;

    /**
     * Starts the exchange.
     *
     * @param loop the exchange's own loop; network and disk complete on it
     * @param self address of this server for other servers
     * @param firstRun number of the first run, drawn at random
     */
    public ExchangeHost(
            Clock clock,
            EventLoop loop,
            Network network,
            Disk disk,
            Address self,
            ExchangeLimits limits,
            long firstRun) {
        this.loop = loop;
        this.self = self;
        this.machine = new ExchangeStateMachine(clock, loop, network, disk, self, limits, firstRun);
        CompletableFuture<Outcome<?>> started = new CompletableFuture<>();
        loop.execute(() -> machine.start(started::complete));
        if (started.join() instanceof Outcome.Err<?> failed) {
            throw failed.error();
        }
    }

    /** Answers a request of another server. */
    public void handlePeerRequest(PeerRequest request, Completion<PeerReply> completion) {
        if (!loop.tryExecute(() -> machine.onPeer(request, completion))) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.RESOURCE_EXHAUSTED, "this server is overloaded or stopping; try again")));
        }
    }

    /** Address of this server, for statistics. */
    public Address self() {
        return self;
    }

    /**
     * Runs a scatter on a worker. The chunks stay until the attempt of the plan ends.
     *
     * @param user user of the read; empty for work without one
     */
    public ScatterManifest scatter(
            ScatterEnvelope frame, String user, OperatorContext context, Consumer<ChunkSink> work) {
        ScatterRunId scatterOutput = await(
                context.remainingNanos(),
                future -> future.complete(
                        outcome(() -> machine.startRun(frame, user, context.actor(), context.remainingNanos()))));
        boolean complete = false;
        try {
            work.accept((slot, rows, chunk) -> storeChunk(scatterOutput, context, slot, rows, chunk));
            context.checkActive();
            ScatterManifest scatterManifest =
                    await(context.remainingNanos(), future -> future.complete(machine.complete(scatterOutput)));
            complete = true;
            return scatterManifest;
        } finally {
            if (!complete) {
                loop.execute(() -> machine.abandon(scatterOutput));
            }
        }
    }

    private void storeChunk(ScatterRunId scatterOutput, OperatorContext context, int slot, long rows, Bytes chunk) {
        context.checkActive();
        if (rows < 0) {
            throw new UniserveException(ErrorCode.PORT_PROTOCOL, "the scatter put a chunk of " + rows + " rows");
        }
        Bytes packed = ChunkCompressor.pack(chunk);
        ChunkInfo info = new ChunkInfo(rows, packed.size(), ChunkCompressor.checksum(packed));
        this.<Done>await(
                context.remainingNanos(), future -> machine.put(scatterOutput, slot, info, packed, future::complete));
    }

    /**
     * Fetches the chunks for the gathers of these actors.
     *
     * @param user user of the read; empty for work without one
     * @param done called once, on any thread, with all chunks or the error; not called after a cancel
     */
    public GatherInputs fetchInputs(
            GatherEnvelope frame,
            String user,
            List<Integer> actors,
            long remainingNanos,
            Consumer<Outcome<GatherInputs>> done) {
        GatherInputs gatherInputs = new GatherInputs(this, frame.inputs().size());
        loop.execute(() -> gatherInputs.start(machine, frame, user, actors, remainingNanos, done));
        return gatherInputs;
    }

    void execute(Runnable task) {
        loop.execute(task);
    }

    /** Current usage, for gauges and tests. Blocks until the loop has answered. */
    public ExchangeStateMachine.Usage usage() {
        return await(SLACK_NANOS, future -> future.complete(outcome(machine::usage)));
    }

    private static <T> Outcome<T> outcome(Supplier<T> work) {
        try {
            return Outcome.ok(work.get());
        } catch (UniserveException e) {
            return Outcome.err(e);
        }
    }

    /** Runs a task on the loop and blocks until its outcome. For workers. */
    <T> T await(long nanos, Consumer<CompletableFuture<Outcome<T>>> start) {
        CompletableFuture<Outcome<T>> future = new CompletableFuture<>();
        loop.execute(() -> start.accept(future));
        try {
            Outcome<T> outcome = future.get(Math.max(0, nanos) + SLACK_NANOS, TimeUnit.NANOSECONDS);
            if (outcome instanceof Outcome.Err<T> failed) {
                throw failed.error();
            }
            return outcome.value();
        } catch (TimeoutException e) {
            throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "the exchange did not answer in time", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.UNAVAILABLE, "this server is shutting down", e);
        } catch (ExecutionException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "the exchange failed: " + e.getCause(), e);
        }
    }
}
