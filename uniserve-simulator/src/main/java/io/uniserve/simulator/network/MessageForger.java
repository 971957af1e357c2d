package io.uniserve.simulator.network;

import io.uniserve.codec.Bytes;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.RunningLogHash;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerReply.Replicated;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.FaultIntensity;
import io.uniserve.simulator.kernel.Prng;
import java.util.ArrayList;
import java.util.List;

/**
 * Receiver of a server's messages that garbles some of them. In messages with log entries it flips a bit or swaps two entries. After some
 * it delivers a forged message in the primary's name, with an entry that the primary never wrote.
 */
public final class MessageForger implements Endpoint.Handler<PeerRequest, PeerReply> {
    private final Endpoint.Handler<PeerRequest, PeerReply> machine;
    private final FaultIntensity faultIntensity;
    private final Prng random;
    private final boolean blind;

    /** @param blind planted bug: the server compares no hashes */
    public MessageForger(
            Endpoint.Handler<PeerRequest, PeerReply> machine,
            FaultIntensity faultIntensity,
            Prng random,
            boolean blind) {
        this.machine = machine;
        this.faultIntensity = faultIntensity;
        this.random = random;
        this.blind = blind;
    }

    @Override
    public void handle(PeerRequest request, Completion<PeerReply> completion) {
        if (!(request instanceof Replicate message)) {
            machine.handle(request, completion);
            return;
        }
        boolean bad = !message.entries().isEmpty() && faultIntensity.draw(Fault.ENTRY_GARBLED);
        Replicate heard = bad ? with(message, corruptEntries(message.entries())) : message;
        pass(heard, outcome -> {
            completion.done(outcome);
            boolean took = outcome instanceof Outcome.Ok<PeerReply> ok
                    && ok.value() instanceof Replicated replicated
                    && replicated.status() == Replicated.Status.OK;
            if (took && message.lastHash() != RunningLogHash.UNKNOWN && faultIntensity.draw(Fault.ENTRY_FORGED)) {
                pass(forged(message), ignored -> {});
            }
        });
    }

    private void pass(Replicate message, Completion<PeerReply> completion) {
        if (!blind) {
            machine.handle(message, completion);
            return;
        }
        machine.handle(
                withoutHashes(message),
                outcome -> completion.done(
                        outcome instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof Replicated told
                                ? Outcome.ok(new Replicated(
                                        told.status(),
                                        told.epoch(),
                                        told.lastIndex(),
                                        told.durableIndex(),
                                        told.appliedIndex(),
                                        told.incarnation()))
                                : outcome));
    }

    private List<LogEntry> corruptEntries(List<LogEntry> entries) {
        List<LogEntry> changed = new ArrayList<>(entries);
        int at = random.below(entries.size());
        LogEntry entry = entries.get(at);
        if (at > 0 && random.below(2) == 0) {
            LogEntry before = entries.get(at - 1);
            changed.set(at, withContent(entry, before));
            changed.set(at - 1, withContent(before, entry));
        } else if (entry.rows().size() > 0) {
            byte[] rows = entry.rows().toArray();
            rows[random.below(rows.length)] ^= (byte) (1 << random.below(8));
            changed.set(at, withRows(entry, Bytes.wrap(rows)));
        } else {
            changed.set(at, withRows(entry, Bytes.utf8("?")));
        }
        return changed;
    }

    private static LogEntry withRows(LogEntry entry, Bytes rows) {
        return new LogEntry(
                entry.type(),
                entry.epoch(),
                entry.index(),
                entry.version(),
                entry.request(),
                entry.lowWater(),
                entry.function(),
                rows);
    }

    /** Returns an entry with the index and epoch of one entry, and the content of the other. */
    private static LogEntry withContent(LogEntry place, LogEntry other) {
        return new LogEntry(
                other.type(),
                place.epoch(),
                place.index(),
                other.version(),
                other.request(),
                other.lowWater(),
                other.function(),
                other.rows());
    }

    private static Replicate forged(Replicate message) {
        long last = message.prevIndex() + message.entries().size();
        long epoch = message.entries().isEmpty()
                ? message.prevEpoch()
                : message.entries().get(message.entries().size() - 1).epoch();
        return new Replicate(
                message.key(),
                message.epoch(),
                message.primary(),
                last,
                epoch,
                List.of(LogEntry.epoch(message.epoch(), last + 1)),
                message.highWatermark(),
                message.baseIndex(),
                RunningLogHash.UNKNOWN,
                RunningLogHash.UNKNOWN);
    }

    private static Replicate with(Replicate message, List<LogEntry> entries) {
        return new Replicate(
                message.key(),
                message.epoch(),
                message.primary(),
                message.prevIndex(),
                message.prevEpoch(),
                entries,
                message.highWatermark(),
                message.baseIndex(),
                message.prevHash(),
                message.lastHash());
    }

    private static Replicate withoutHashes(Replicate message) {
        return new Replicate(
                message.key(),
                message.epoch(),
                message.primary(),
                message.prevIndex(),
                message.prevEpoch(),
                message.entries(),
                message.highWatermark(),
                message.baseIndex(),
                RunningLogHash.UNKNOWN,
                RunningLogHash.UNKNOWN);
    }
}
