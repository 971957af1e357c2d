package io.uniserve.protocol.exchange;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ChunkInfo;
import io.uniserve.protocol.message.ExchangeId;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.ScatterOutput;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A server's part in plans with scatters: keeps what scatters make here, has come what gathers here want, and lets go of
 * both when the attempt is over, is cancelled, or its deadline has passed. Chunks are bytes to it. Single-threaded.
 */
public final class ExchangeMachine {
    private static final long SWEEP_NANOS = 1_000_000_000;

    private final Clock clock;
    private final Timers timers;
    private final Address self;
    private final ExchangeLimits limits;
    private final ChunkStore store;
    private final OutputBuffer outputBuffer;
    private final ExchangeClient exchangeClient;
    private final Set<ExchangeId> over = new LinkedHashSet<>();
    private final Map<Long, Open> deliveries = new LinkedHashMap<>();
    private long opened;
    private boolean sweeping;
    private long runs;

    /** A delivery that is not closed. */
    private record Open(ExchangeId exchange, ExchangeInput delivery) {}

    /**
     * @param self where others reach this server
     * @param firstRun drawn at random, so that runs of an earlier process are told from those of this one
     */
    public ExchangeMachine(
            Clock clock,
            Timers timers,
            Network network,
            Disk disk,
            Address self,
            ExchangeLimits limits,
            long firstRun) {
        this.clock = clock;
        this.timers = timers;
        this.self = self;
        this.limits = limits;
        this.runs = firstRun;
        this.store = new ChunkStore(disk, limits, this::sweepLater);
        this.outputBuffer = new OutputBuffer(self, store);
        this.exchangeClient = new ExchangeClient(timers, network, store, limits);
    }

    /** Deletes what an earlier process left; call first. */
    public void start(Completion<Done> completion) {
        store.start(completion);
    }

    /** A run of a scatter begins; CANCELLED where its plan's attempt is over. */
    public ScatterOutput begin(ScatterEnvelope frame, int actor, long remainingNanos) {
        if (over.contains(frame.exchange())) {
            throw OutputBuffer.over();
        }
        ScatterOutput scatterOutput = new ScatterOutput(frame.exchange(), frame.stage(), actor, runs++);
        outputBuffer.begin(scatterOutput, frame.slots(), clock.nanos() + remainingNanos);
        sweepLater();
        return scatterOutput;
    }

    /** Keeps a packed chunk of a run; done when it is in memory or in a file. */
    public void put(ScatterOutput scatterOutput, int slot, ChunkInfo info, Bytes packed, Completion<Done> completion) {
        outputBuffer.put(scatterOutput, slot, info, packed, completion);
    }

    /** A run has put all of its chunks. */
    public Outcome<ScatterManifest> complete(ScatterOutput scatterOutput) {
        return outputBuffer.complete(scatterOutput);
    }

    /** A run failed: what it put is let go of. Idempotent. */
    public void abandon(ScatterOutput scatterOutput) {
        outputBuffer.abandon(scatterOutput);
    }

    /**
     * Has all chunks come that gathers of these actors want.
     *
     * @param completion hears when all are here, or why not all can be: EXCHANGE_LOST where one is nowhere any more
     * @return to be closed
     */
    public ExchangeInput deliver(
            GatherEnvelope frame, List<Integer> actors, long remainingNanos, Completion<ExchangeInput> completion) {
        Map<Integer, List<GatherEnvelope.Wanted>> all = new LinkedHashMap<>();
        actors.forEach(actor -> all.put(actor, frame.wanted(actor)));
        long number = ++opened;
        ExchangeInput exchangeInput = new ExchangeInput(
                outcome -> timers.post(() -> completion.done(outcome)), () -> deliveries.remove(number));
        deliveries.put(number, new Open(frame.exchange(), exchangeInput));
        if (over.contains(frame.exchange())) {
            exchangeInput.fail(OutputBuffer.over());
            return exchangeInput;
        }
        List<Runnable> wanted = new ArrayList<>();
        for (Map.Entry<Integer, List<GatherEnvelope.Wanted>> slot : all.entrySet()) {
            for (GatherEnvelope.Wanted one : slot.getValue()) {
                if (!one.receipt().server().equals(self)) {
                    wanted.add(() -> exchangeInput.want(slot.getKey(), one, exchangeClient));
                    continue;
                }
                ChunkStore.Stored stored = outputBuffer.find(one.receipt().production(), one.slot());
                if (stored == null) {
                    exchangeInput.fail(new UniserveException(
                            ErrorCode.EXCHANGE_LOST, one.receipt().production() + " is not kept here any more"));
                    return exchangeInput;
                }
                exchangeInput.here(slot.getKey(), one, stored);
            }
        }
        wanted.forEach(Runnable::run);
        exchangeInput.named(timers, remainingNanos);
        exchangeClient.pump();
        return exchangeInput;
    }

    /** Takes a request of another server; UNSUPPORTED where it is of a kind that is not for here. */
    public void onPeer(PeerRequest request, Completion<PeerReply> completion) {
        if (request instanceof PeerRequest.PullChunks pull) {
            outputBuffer.pull(pull, limits.pieceBytes(), completion);
        } else if (request instanceof PeerRequest.EndExchange end) {
            end(end.exchange());
            completion.done(Outcome.ok(new PeerReply.Ack()));
        } else {
            completion.done(Outcome.err(UniserveException.unsupported("a request of this kind in an exchange")));
        }
    }

    /** Lets go of all that is kept for an attempt. Idempotent. */
    public void end(ExchangeId exchange) {
        over.add(exchange);
        if (over.size() > Limits.EXCHANGES_OVER_KEPT) {
            over.remove(over.iterator().next());
        }
        outputBuffer.end(exchange);
        List.copyOf(deliveries.values()).stream()
                .filter(open -> open.exchange.equals(exchange))
                .forEach(open -> open.delivery.fail(OutputBuffer.over()));
    }

    private void sweepLater() {
        if (!sweeping) {
            sweeping = true;
            timers.after(SWEEP_NANOS, () -> {
                sweeping = false;
                outputBuffer.expire(clock.nanos());
                store.deleteAgain();
                if (outputBuffer.size() > 0) {
                    sweepLater();
                }
            });
        }
    }

    /**
     * What is there now.
     *
     * @param runs of scatters whose chunks are kept
     * @param arriving chunks that came or are to come
     * @param deliveries requests of gathers that they come for
     * @param memoryBytes chunks in memory, as far as they are complete
     * @param receivingBytes chunks that are being received
     * @param files chunks in files
     */
    public record Usage(int runs, int arriving, int deliveries, long memoryBytes, long receivingBytes, long files) {}

    /** What is there now. */
    public Usage usage() {
        return new Usage(
                outputBuffer.size(),
                exchangeClient.size(),
                deliveries.size(),
                store.memory(),
                exchangeClient.assembling(),
                store.files());
    }
}
