package io.uniserve.protocol.exchange;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.ExchangeId;

/**
 * Parameters of a read with a scatter operator.
 *
 * @param stage the scatter's position in its plan
 * @param slots number of slots of the next stage; 1 for a broadcast
 * @param parameters the operator's own parameters
 */
public record ScatterEnvelope(ExchangeId exchange, int stage, int slots, Bytes parameters) {
    public static final Codec<ScatterEnvelope> CODEC = Codecs.of(
            (out, frame) -> {
                frame.exchange.write(out);
                out.writeInt(frame.stage).writeInt(frame.slots).writeBytes(frame.parameters);
            },
            ScatterEnvelope::read);

    public ScatterEnvelope {
        if (stage < 0 || stage >= Limits.PLAN_SCATTERS_MAX) {
            throw UniserveException.invalid(
                    "stage " + stage + " of a plan: there are 0 to " + (Limits.PLAN_SCATTERS_MAX - 1));
        }
        if (slots < 1 || slots > Limits.SCATTER_SLOTS_MAX) {
            throw UniserveException.invalid("a scatter into " + slots + " slots, use 1 to " + Limits.SCATTER_SLOTS_MAX);
        }
    }

    private static ScatterEnvelope read(BinaryReader in) {
        return new ScatterEnvelope(ExchangeId.read(in), in.readInt(), in.readInt(), in.readBytes());
    }
}
