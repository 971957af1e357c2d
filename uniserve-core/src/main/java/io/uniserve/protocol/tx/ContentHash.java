package io.uniserve.protocol.tx;

import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Sha256;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.UpdateRequest.ActorRows;
import java.util.List;

/** What tells one update from another under the same request id; epochs do not belong to it. Not thread-safe. */
final class ContentHash {
    private final Sha256.Sum sum = new Sha256.Sum();

    /** Of no rows so far. */
    ContentHash(long tableId, String function) {
        sum.add(new BinaryWriter().writeLong(tableId).writeString(function).toBytes());
    }

    /** Of all that the request has. */
    static String of(UpdateRequest request) {
        return new ContentHash(request.tableId(), request.function())
                .add(request.actors())
                .hex();
    }

    /** The next actors' rows. */
    ContentHash add(List<ActorRows> actors) {
        for (ActorRows rows : actors) {
            sum.add(new BinaryWriter(16)
                    .writeInt(rows.actor())
                    .writeInt(rows.rows().size())
                    .toBytes());
            sum.add(rows.rows());
        }
        return this;
    }

    /** In hex; call once, last. */
    String hex() {
        return sum.hex();
    }
}
