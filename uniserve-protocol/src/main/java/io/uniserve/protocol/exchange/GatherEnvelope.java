package io.uniserve.protocol.exchange;

import io.uniserve.api.plan.Distribution;
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
import io.uniserve.protocol.message.ScatterRunId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Parameters of a read with a gather or map operator: the runs of earlier stages that count, exactly one per source.
 *
 * @param actors actors by slot
 * @param inputs results of these stages, in the plan's order
 * @param output destination of the chunks of a map; empty for a gather
 * @param parameters the operator's own parameters
 */
public record GatherEnvelope(
        ExchangeId exchange, List<Integer> actors, List<Input> inputs, Optional<Output> output, Bytes parameters) {
    public static final Codec<GatherEnvelope> CODEC = Codecs.of((out, frame) -> frame.write(out), GatherEnvelope::read);

    /** Prefix that distinguishes such a read from others before the operator is looked up. */
    private static final long MARK = 0x556e694761746872L;

    /**
     * Result of one stage.
     *
     * @param stage position in the plan
     * @param manifests manifests of all its sources
     */
    public record Input(int stage, Distribution distribution, List<ScatterManifest> manifests) {
        public Input {
            manifests = List.copyOf(manifests);
        }
    }

    /**
     * The chunks that a map produces.
     *
     * @param stage the map's position in the plan
     * @param slots number of slots of the next stage
     */
    public record Output(int stage, int slots) {}

    /** One chunk that a slot needs. */
    record RequiredChunk(int input, ScatterManifest manifest, int slot) {
        ChunkInfo info() {
            return manifest.chunks().get(slot);
        }
    }

    public GatherEnvelope {
        actors = List.copyOf(actors);
        inputs = List.copyOf(inputs);
        long wanted = 0;
        Set<Integer> stages = new TreeSet<>();
        for (Input input : inputs) {
            wanted += input.distribution == Distribution.COLOCATED
                    ? input.manifests.size()
                    : (long) input.manifests.size() * actors.size();
            if (!stages.add(input.stage) || (output.isPresent() && output.get().stage <= input.stage)) {
                throw corrupt("stage " + input.stage + " is listed twice, or is not before this one");
            }
            check(exchange, input, actors.size());
        }
        if (wanted > Limits.PLAN_CHUNKS_MAX) {
            throw corrupt(wanted + " chunks for all slots, at most " + Limits.PLAN_CHUNKS_MAX);
        }
    }

    /** Checks that no source counts twice, and that all runs belong to this attempt. */
    private static void check(ExchangeId exchange, Input input, int slots) {
        Set<Integer> sources = new TreeSet<>();
        for (ScatterManifest scatterManifest : input.manifests) {
            ScatterRunId scatterOutput = scatterManifest.output();
            if (!scatterOutput.exchange().equals(exchange) || scatterOutput.stage() != input.stage) {
                throw corrupt(scatterOutput + " is not of this stage and attempt");
            }
            if (!sources.add(scatterOutput.actor())) {
                throw corrupt("actor " + scatterOutput.actor() + " of stage " + input.stage + " counts twice");
            }
            if (scatterManifest.chunks().size() != (input.distribution == Distribution.PARTITIONED ? slots : 1)) {
                throw corrupt(scatterOutput + " has chunks for "
                        + scatterManifest.chunks().size() + " slots of " + slots);
            }
        }
    }

    private static UniserveException corrupt(String message) {
        return new UniserveException(ErrorCode.CORRUPT, "a gather's inputs: " + message);
    }

    /** True if an operator's parameters start like those of a gather. */
    public static boolean isEnvelope(Bytes parameters) {
        return parameters.size() > Long.BYTES && new BinaryReader(parameters).readLong() == MARK;
    }

    /** The non-empty chunks for the actor's slot; INVALID_ARGUMENT if the actor has no slot. */
    List<RequiredChunk> requiredChunks(int actor) {
        int slot = actors.indexOf(actor);
        if (slot < 0) {
            throw UniserveException.invalid("actor " + actor + " has no slot in this gather");
        }
        List<RequiredChunk> all = new ArrayList<>();
        for (int input = 0; input < inputs.size(); input++) {
            Distribution distribution = inputs.get(input).distribution;
            int place = distribution == Distribution.PARTITIONED ? slot : 0;
            for (ScatterManifest scatterManifest : inputs.get(input).manifests) {
                boolean mine = distribution != Distribution.COLOCATED
                        || scatterManifest.output().actor() == actor;
                if (mine && scatterManifest.chunks().get(place).bytes() > 0) {
                    all.add(new RequiredChunk(input, scatterManifest, place));
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
            out.writeInt(input.stage).writeByte(input.distribution.ordinal()).writeInt(input.manifests.size());
            input.manifests.forEach(scatterManifest -> ScatterManifest.CODEC.write(out, scatterManifest));
        }
        out.writeBoolean(output.isPresent());
        output.ifPresent(made -> out.writeInt(made.stage).writeInt(made.slots));
        out.writeBytes(parameters);
    }

    private static GatherEnvelope read(BinaryReader in) {
        if (in.readLong() != MARK) {
            throw corrupt("wrong prefix");
        }
        ExchangeId exchange = ExchangeId.read(in);
        int slots = bounded(in.readCount(4), Limits.SCATTER_SLOTS_MAX);
        List<Integer> actors = new ArrayList<>(slots);
        for (int i = 0; i < slots; i++) {
            actors.add(in.readInt());
        }
        int count = bounded(in.readCount(9), Limits.PLAN_SCATTERS_MAX);
        List<Input> inputs = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int stage = in.readInt();
            int spread = in.readByte();
            if (spread < 0 || spread >= Distribution.values().length) {
                throw corrupt("unknown distribution " + spread);
            }
            int sources = bounded(in.readCount(20), Limits.TIME_ACTORS_PER_TABLE_MAX);
            List<ScatterManifest> receipts = new ArrayList<>(sources);
            for (int source = 0; source < sources; source++) {
                receipts.add(ScatterManifest.CODEC.read(in));
            }
            inputs.add(new Input(stage, Distribution.values()[spread], receipts));
        }
        Optional<Output> output =
                in.readBoolean() ? Optional.of(new Output(in.readInt(), in.readInt())) : Optional.empty();
        return new GatherEnvelope(exchange, actors, inputs, output, in.readBytes());
    }

    private static int bounded(int count, int max) {
        if (count > max) {
            throw corrupt("a list of " + count + ", at most " + max);
        }
        return count;
    }
}
