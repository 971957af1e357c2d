package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.AdminReply.MoveStatus;
import io.uniserve.protocol.message.AdminReply.Rebalance;

/** Mapping of the rebalancer's state: moves and their reasons. */
final class RebalanceMapping {
    private RebalanceMapping() {}

    static AdminProto.Rebalance toProto(Rebalance rebalance) {
        AdminProto.Rebalance.Builder proto =
                AdminProto.Rebalance.newBuilder().setState(rebalance.state()).setWaiting(rebalance.pendingMoves());
        for (MoveStatus moving : rebalance.moves()) {
            proto.addMoves(AdminProto.Moving.newBuilder()
                    .setTable(moving.table().value())
                    .setActor(moving.actor())
                    .addAllFrom(IdentityMapping.texts(moving.from()))
                    .addAllTo(IdentityMapping.texts(moving.to()))
                    .setWhy(moving.reason()));
        }
        return proto.build();
    }

    static Rebalance fromProto(AdminProto.Rebalance proto) {
        return new Rebalance(
                proto.getState(),
                proto.getWaiting(),
                ProtoValidator.list(
                        "moves",
                        proto.getMovesList(),
                        Limits.REBALANCE_PLAN_MOVES_MAX,
                        moving -> new MoveStatus(
                                IdentityMapping.table(moving.getTable()),
                                moving.getActor(),
                                IdentityMapping.servers("from", moving.getFromList()),
                                IdentityMapping.servers("to", moving.getToList()),
                                moving.getWhy())));
    }
}
