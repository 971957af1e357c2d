package io.uniserve.port.solr;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;

/**
 * An actor's response to a shard request.
 *
 * @param body the response in Solr's own binary format
 */
record ShardReply(int actor, Bytes body) {
    static final Codec<ShardReply> CODEC = Codecs.of(
            (out, reply) -> out.writeInt(reply.actor).writeBytes(reply.body),
            in -> new ShardReply(in.readInt(), in.readBytes()));
}
