package io.uniserve.protocol.tx;

import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Sha256;
import io.uniserve.protocol.message.StagedRowsRef;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.UpdateRequest.ActorRows;
import java.util.Comparator;
import java.util.List;

/**
 * What tells one update from another under the same request id; epochs do not belong to it. It is made of the hashes of the actors'
 * rows, by actor, so that it is the same whether they came with the update or were staged before.
 */
final class RequestContentHash {
    private RequestContentHash() {}

    /** In hex, of all that the request is for. */
    static String of(UpdateRequest request) {
        BinaryWriter out = new BinaryWriter().writeLong(request.tableId()).writeString(request.function());
        List<ActorRows> actors = request.actors().stream()
                .sorted(Comparator.comparingInt(ActorRows::actor))
                .toList();
        for (ActorRows rows : actors) {
            StagedRowsRef staged = rows.staged();
            out.writeInt(rows.actor())
                    .writeLong(rows.bytes())
                    .writeString(staged == null ? Sha256.hex(rows.rows()) : staged.sha256());
        }
        return Sha256.hex(out.toBytes());
    }
}
