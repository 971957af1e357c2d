package io.uniserve.protocol.exchange;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.ChunkInfo;
import io.uniserve.protocol.message.ExchangeId;
import io.uniserve.protocol.message.Production;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Parameters of a read whose operator is a gather: which runs of the scatters count, exactly one of each source.
 *
 * @param actors by slot
 * @param inputs of the scatters, in the plan's order
 * @param parameters the operator's
 */
public record GatherFrame(ExchangeId exchange, List<Integer> actors, List<Input> inputs, Bytes parameters) {
    public static final Codec<GatherFrame> CODEC = Codecs.of((out, frame) -> frame.write(out), GatherFrame::read);

    /** By this a server tells such a read from others before it looks for the operator. */
    private static final long MARK = 0x556e694761746872L;

    /**
     * What one scatter made.
     *
     * @param broadcast true where every slot gets the chunk of slot 0
     * @param receipts of all its sources
     */
    public record Input(boolean broadcast, List<Receipt> receipts) {
        public Input {
            receipts = List.copyOf(receipts);
        }
    }

    /** One chunk that a slot wants. */
    record Wanted(int input, Receipt receipt, int slot) {
        ChunkInfo info() {
            return receipt.chunks().get(slot);
        }
    }

    public GatherFrame {
        actors = List.copyOf(actors);
        inputs = List.copyOf(inputs);
        long wanted = 0;
        for (Input input : inputs) {
            wanted += (long) input.receipts.size() * actors.size();
        }
        if (wanted > Limits.PLAN_CHUNKS_MAX) {
            throw corrupt(wanted + " chunks for all slots, at most " + Limits.PLAN_CHUNKS_MAX);
        }
        for (int stage = 0; stage < inputs.size(); stage++) {
            check(exchange, stage, inputs.get(stage), actors.size());
        }
    }

    /** Nothing may count twice, and nothing of another attempt at all. */
    private static void check(ExchangeId exchange, int stage, Input input, int slots) {
        Set<Integer> sources = new TreeSet<>();
        for (Receipt receipt : input.receipts) {
            Production production = receipt.production();
            if (!production.exchange().equals(exchange) || production.stage() != stage) {
                throw corrupt(production + " is not of this stage and attempt");
            }
            if (!sources.add(production.actor())) {
                throw corrupt("actor " + production.actor() + " of stage " + stage + " counts twice");
            }
            if (receipt.chunks().size() != (input.broadcast ? 1 : slots)) {
                throw corrupt(production + " has chunks for " + receipt.chunks().size() + " slots of " + slots);
            }
        }
    }

    private static UniserveException corrupt(String message) {
        return new UniserveException(ErrorCode.CORRUPT, "a gather's inputs: " + message);
    }

    /** True where an operator's parameters begin as those of a gather do. */
    public static boolean looksLike(Bytes parameters) {
        return parameters.size() > Long.BYTES && new BinaryReader(parameters).readLong() == MARK;
    }

    /** What the actor's slot gets, with something in it; INVALID_ARGUMENT where the actor has no slot. */
    List<Wanted> wanted(int actor) {
        int slot = actors.indexOf(actor);
        if (slot < 0) {
            throw UniserveException.invalid("actor " + actor + " has no slot in this gather");
        }
        List<Wanted> all = new ArrayList<>();
        for (int input = 0; input < inputs.size(); input++) {
            int place = inputs.get(input).broadcast ? 0 : slot;
            for (Receipt receipt : inputs.get(input).receipts) {
                if (receipt.chunks().get(place).bytes() > 0) {
                    all.add(new Wanted(input, receipt, place));
                }
            }
        }
        return all;
    }

    private void write(BinaryWriter out) {
        out.writeLong(MARK);
        exchange.write(out);
        out.writeInt(actors.size());
        actors.forEach(out::writeInt);
        out.writeInt(inputs.size());
        for (Input input : inputs) {
            out.writeBoolean(input.broadcast).writeInt(input.receipts.size());
            input.receipts.forEach(receipt -> Receipt.CODEC.write(out, receipt));
        }
        out.writeBytes(parameters);
    }

    private static GatherFrame read(BinaryReader in) {
        if (in.readLong() != MARK) {
            throw corrupt("not such");
        }
        ExchangeId exchange = ExchangeId.read(in);
        int slots = bounded(in.readCount(4), Limits.SCATTER_SLOTS_MAX);
        List<Integer> actors = new ArrayList<>(slots);
        for (int i = 0; i < slots; i++) {
            actors.add(in.readInt());
        }
        int count = bounded(in.readCount(5), Limits.PLAN_SCATTERS_MAX);
        List<Input> inputs = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            boolean broadcast = in.readBoolean();
            int sources = bounded(in.readCount(20), Limits.ACTORS_PER_TABLE_MAX);
            List<Receipt> receipts = new ArrayList<>(sources);
            for (int source = 0; source < sources; source++) {
                receipts.add(Receipt.CODEC.read(in));
            }
            inputs.add(new Input(broadcast, receipts));
        }
        return new GatherFrame(exchange, actors, inputs, in.readBytes());
    }

    private static int bounded(int count, int max) {
        if (count > max) {
            throw corrupt("a list of " + count + ", at most " + max);
        }
        return count;
    }
}
