package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.AdminReply.Moving;
import io.uniserve.protocol.message.AdminReply.Rebalance;

/** Mapping of the rebalancer's state: moves and their reasons. */
final class RebalanceMapping {
    private RebalanceMapping() {}

    static AdminProto.Rebalance toProto(Rebalance rebalance) {
        AdminProto.Rebalance.Builder proto =
                AdminProto.Rebalance.newBuilder().setState(rebalance.state()).setWaiting(rebalance.waiting());
        for (Moving moving : rebalance.moves()) {
            proto.addMoves(AdminProto.Moving.newBuilder()
                    .setTable(moving.table().value())
                    .setActor(moving.actor())
                    .addAllFrom(IdentityMapping.texts(moving.from()))
                    .addAllTo(IdentityMapping.texts(moving.to()))
                    .setWhy(moving.why()));
        }
        return proto.build();
    }

    static Rebalance fromProto(AdminProto.Rebalance proto) {
        return new Rebalance(
                proto.getState(),
                proto.getWaiting(),
                ProtoChecks.list(
                        "moves",
                        proto.getMovesList(),
                        Limits.REBALANCE_PLAN_MOVES_MAX,
                        moving -> new Moving(
                                IdentityMapping.table(moving.getTable()),
                                moving.getActor(),
                                IdentityMapping.servers("from", moving.getFromList()),
                                IdentityMapping.servers("to", moving.getToList()),
                                moving.getWhy())));
    }
}
