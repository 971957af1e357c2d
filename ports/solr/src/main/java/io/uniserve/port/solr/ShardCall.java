package io.uniserve.port.solr;

import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Shard requests of one round: one text for all, for most phases ask every actor the same, or a text of an actor's own.
 *
 * @param common Solr parameters as a URL has them
 * @param own those of single actors
 */
record ShardCall(String common, Map<Integer, String> own) {
    private static final int ENTRY_BYTES_MIN = 8;

    static final Codec<ShardCall> CODEC = Codecs.of(
            (out, call) -> {
                out.writeString(call.common);
                out.writeInt(call.own.size());
                call.own.forEach((actor, text) -> out.writeInt(actor).writeString(text));
            },
            in -> {
                String common = in.readString();
                Map<Integer, String> own = new LinkedHashMap<>();
                for (int left = in.readCount(ENTRY_BYTES_MIN); left > 0; left--) {
                    own.put(in.readInt(), in.readString());
                }
                return new ShardCall(common, own);
            });

    String of(int actor) {
        return own.getOrDefault(actor, common);
    }
}
