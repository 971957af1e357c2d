package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.AdminReply.CopyStatus;
import io.uniserve.protocol.message.AdminReply.MoveStatus;
import io.uniserve.protocol.message.AdminReply.Rebalance;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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
        for (CopyStatus copy : rebalance.copies()) {
            AdminProto.AutomaticCopies.Builder one = AdminProto.AutomaticCopies.newBuilder()
                    .setTable(copy.table().value())
                    .setActor(copy.actor())
                    .setReplicas(copy.replicas())
                    .setRequested(copy.requested())
                    .setAutomatic(copy.automatic())
                    .setWhy(copy.reason());
            copy.weights()
                    .forEach((server, share) -> one.addShares(AdminProto.ServerShare.newBuilder()
                            .setServer(server.value())
                            .setShare(share)));
            proto.addCopies(one);
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
                                moving.getWhy())),
                ProtoValidator.list(
                        "copies",
                        proto.getCopiesList(),
                        Limits.REBALANCE_PLAN_MOVES_MAX,
                        copy -> new CopyStatus(
                                IdentityMapping.table(copy.getTable()),
                                copy.getActor(),
                                copy.getReplicas(),
                                copy.getRequested(),
                                copy.getAutomatic(),
                                shares(copy.getSharesList()),
                                copy.getWhy())));
    }

    private static Map<ServerId, Double> shares(List<AdminProto.ServerShare> protos) {
        Map<ServerId, Double> shares = new TreeMap<>();
        ProtoValidator.list(
                "shares",
                protos,
                Limits.SERVERS_MAX,
                share -> shares.put(IdentityMapping.server(share.getServer()), share.getShare()));
        return shares;
    }
}
