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
import io.uniserve.protocol.message.ExchangeRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.ScatterRunId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A server's part in the exchange of planned queries. It stores the chunks of local scatters and fetches the chunks for local gathers. It
 * drops both when the attempt ends, is cancelled, or its deadline has passed. It does not interpret chunks. Not thread-safe.
 */
public final class ExchangeStateMachine {
    private static final long SWEEP_NANOS = 1_000_000_000;

    private final Clock clock;
    private final Timers timers;
    private final Address self;
    private final ExchangeLimits limits;
    private final ChunkStore store;
    private final OutputBuffer outputBuffer;
    private final ExchangeClient exchangeClient;
    private final RequestHandler requests = new RequestHandler();
    private final Set<ExchangeId> endedExchanges = new LinkedHashSet<>();
    private final Map<Long, OpenInput> openInputs = new LinkedHashMap<>();
    private long opened;
    private boolean sweeping;
    private long runs;

    /** An input that is not closed. */
    private record OpenInput(ExchangeId exchange, ExchangeInput input) {}

    /**
     * @param self this server's address for other servers
     * @param firstRun random number, so that runs of an earlier process are distinct from those of this one
     */
    public ExchangeStateMachine(
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

    /** Deletes the files of an earlier process; call it first. */
    public void start(Completion<Done> completion) {
        store.start(completion);
    }

    /** Starts a run of a scatter without a user. */
    public ScatterRunId startRun(ScatterEnvelope frame, int actor, long remainingNanos) {
        return startRun(frame, "", actor, remainingNanos);
    }

    /**
     * Starts a run of a scatter; CANCELLED if the attempt has ended.
     *
     * @param user user of the query, who has a share of the memory and the files; empty for work without a user
     */
    public ScatterRunId startRun(ScatterEnvelope frame, String user, int actor, long remainingNanos) {
        if (endedExchanges.contains(frame.exchange())) {
            throw OutputBuffer.endedError();
        }
        ScatterRunId scatterOutput = new ScatterRunId(frame.exchange(), frame.stage(), actor, runs++);
        outputBuffer.startRun(scatterOutput, user, frame.slots(), clock.nanos() + remainingNanos);
        sweepLater();
        return scatterOutput;
    }

    /** Stores a packed chunk of a run; completes when it is in memory or in a file. */
    public void put(ScatterRunId scatterOutput, int slot, ChunkInfo info, Bytes packed, Completion<Done> completion) {
        outputBuffer.put(scatterOutput, slot, info, packed, completion);
    }

    /** Ends a run that has stored all of its chunks. */
    public Outcome<ScatterManifest> complete(ScatterRunId scatterOutput) {
        return outputBuffer.complete(scatterOutput);
    }

    /** Drops the chunks of a run that failed. Idempotent. */
    public void abandon(ScatterRunId scatterOutput) {
        outputBuffer.abandon(scatterOutput);
    }

    /** Fetches all chunks for gathers of these actors, for work without a user. */
    public ExchangeInput fetchInputs(
            GatherEnvelope frame, List<Integer> actors, long remainingNanos, Completion<ExchangeInput> completion) {
        return fetchInputs(frame, "", actors, remainingNanos, completion);
    }

    /**
     * Fetches all chunks for gathers of these actors.
     *
     * @param user user of the query, who has a share of the memory and the files; empty for work without a user
     * @param completion called when all chunks are here, or with an error: EXCHANGE_LOST if a chunk no longer exists anywhere
     * @return the chunks, to be closed
     */
    public ExchangeInput fetchInputs(
            GatherEnvelope frame,
            String user,
            List<Integer> actors,
            long remainingNanos,
            Completion<ExchangeInput> completion) {
        Map<Integer, List<GatherEnvelope.RequiredChunk>> all = new LinkedHashMap<>();
        actors.forEach(actor -> all.put(actor, frame.requiredChunks(actor)));
        long number = ++opened;
        ExchangeInput exchangeInput = new ExchangeInput(
                outcome -> timers.post(() -> completion.done(outcome)), () -> openInputs.remove(number));
        openInputs.put(number, new OpenInput(frame.exchange(), exchangeInput));
        if (endedExchanges.contains(frame.exchange())) {
            exchangeInput.fail(OutputBuffer.endedError());
            return exchangeInput;
        }
        List<Runnable> wanted = new ArrayList<>();
        for (Map.Entry<Integer, List<GatherEnvelope.RequiredChunk>> slot : all.entrySet()) {
            for (GatherEnvelope.RequiredChunk one : slot.getValue()) {
                if (!one.manifest().server().equals(self)) {
                    wanted.add(() -> exchangeInput.addRemote(slot.getKey(), one, user, exchangeClient));
                    continue;
                }
                ChunkStore.Stored stored = outputBuffer.find(one.manifest().output(), one.slot());
                if (stored == null) {
                    exchangeInput.fail(new UniserveException(
                            ErrorCode.EXCHANGE_LOST, one.manifest().output() + " is no longer kept on this server"));
                    return exchangeInput;
                }
                exchangeInput.addLocal(slot.getKey(), one, stored);
            }
        }
        wanted.forEach(Runnable::run);
        exchangeInput.awaitAll(timers, remainingNanos);
        exchangeClient.requestPieces();
        return exchangeInput;
    }

    /** Handles a request of another server; UNSUPPORTED for a kind that does not belong to the exchange. */
    public void onPeer(PeerRequest request, Completion<PeerReply> completion) {
        if (request instanceof ExchangeRequest mine) {
            mine.handle(requests, completion);
        } else {
            completion.done(Outcome.err(UniserveException.unsupported("a request of this kind in an exchange")));
        }
    }

    private final class RequestHandler implements ExchangeRequest.Handler<Completion<PeerReply>> {
        @Override
        public void pullChunks(PeerRequest.PullChunks request, Completion<PeerReply> completion) {
            outputBuffer.pull(request, limits.pieceBytes(), completion);
        }

        @Override
        public void endExchange(PeerRequest.EndExchange request, Completion<PeerReply> completion) {
            end(request.exchange());
            completion.done(Outcome.ok(new PeerReply.Ack()));
        }
    }

    /** Drops everything of an attempt. Idempotent. */
    public void end(ExchangeId exchange) {
        endedExchanges.add(exchange);
        if (endedExchanges.size() > Limits.EXCHANGES_OVER_KEPT) {
            endedExchanges.remove(endedExchanges.iterator().next());
        }
        outputBuffer.end(exchange);
        List.copyOf(openInputs.values()).stream()
                .filter(open -> open.exchange.equals(exchange))
                .forEach(open -> open.input.fail(OutputBuffer.endedError()));
    }

    private void sweepLater() {
        if (!sweeping) {
            sweeping = true;
            timers.after(SWEEP_NANOS, () -> {
                sweeping = false;
                outputBuffer.expire(clock.nanos());
                store.retryDeletions();
                if (outputBuffer.size() > 0) {
                    sweepLater();
                }
            });
        }
    }

    /**
     * Usage of the exchange.
     *
     * @param runs runs of scatters with stored chunks
     * @param arriving chunks that have arrived or are to arrive
     * @param deliveries requests of gathers that need chunks
     * @param memoryBytes complete chunks in memory
     * @param receivingBytes chunks that are arriving
     * @param files number of chunks in files
     */
    public record Usage(int runs, int arriving, int deliveries, long memoryBytes, long receivingBytes, long files) {}

    /** The current usage. */
    public Usage usage() {
        return new Usage(
                outputBuffer.size(),
                exchangeClient.size(),
                openInputs.size(),
                store.memory(),
                exchangeClient.assembling(),
                store.files());
    }
}
