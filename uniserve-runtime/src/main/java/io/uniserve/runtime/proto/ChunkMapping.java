package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.ServerId;
import io.uniserve.placement.ChunkPolicy.AgeModel;
import io.uniserve.placement.ChunkPolicy.Decision;
import io.uniserve.placement.ChunkPolicy.ServerCost;
import io.uniserve.protocol.message.AdminReply.ChunkExplanation;
import java.util.List;
import java.util.Optional;

/** Mapping of explanations of a chunk's placement. */
final class ChunkMapping {
    private ChunkMapping() {}

    static AdminProto.ChunkExplanation toProto(ChunkExplanation chunk) {
        AdminProto.ChunkExplanation.Builder proto = AdminProto.ChunkExplanation.newBuilder()
                .setPolicy(chunk.policy())
                .setStart(chunk.start())
                .setFirstActor(chunk.firstActor())
                .setUnit(chunk.decision().unit())
                .setPredicted(chunk.decision().predicted());
        chunk.present().forEach(servers -> proto.addPresent(toProto(servers)));
        chunk.decision().places().forEach(servers -> proto.addChosen(toProto(servers)));
        chunk.decision()
                .costs()
                .forEach(cost -> proto.addCosts(AdminProto.ServerCost.newBuilder()
                        .setServer(cost.server().value())
                        .setCost(cost.cost())));
        chunk.decision()
                .model()
                .ifPresent(model -> proto.setModel(AdminProto.AgeModel.newBuilder()
                        .setA(model.a())
                        .setAlpha(model.alpha())
                        .setB(model.b())
                        .setC(model.c())
                        .setBeta(model.beta())
                        .setError(model.error())
                        .setObservations(model.observations())
                        .setAges(model.ages())
                        .setSource(model.source())));
        return proto.build();
    }

    private static AdminProto.BucketServers toProto(List<ServerId> servers) {
        return AdminProto.BucketServers.newBuilder()
                .addAllServers(IdentityMapping.texts(servers))
                .build();
    }

    static ChunkExplanation fromProto(AdminProto.ChunkExplanation proto) {
        return new ChunkExplanation(
                proto.getPolicy(),
                proto.getStart(),
                proto.getFirstActor(),
                buckets("present", proto.getPresentList()),
                new Decision(
                        buckets("chosen", proto.getChosenList()),
                        ProtoValidator.list(
                                "costs",
                                proto.getCostsList(),
                                Limits.SERVERS_MAX,
                                cost -> new ServerCost(IdentityMapping.server(cost.getServer()), cost.getCost())),
                        proto.getUnit(),
                        proto.hasModel() ? Optional.of(model(proto.getModel())) : Optional.empty(),
                        proto.getPredicted()));
    }

    private static List<List<ServerId>> buckets(String field, List<AdminProto.BucketServers> protos) {
        return ProtoValidator.list(
                field,
                protos,
                Limits.TIME_BUCKETS_MAX,
                bucket -> IdentityMapping.servers(field, bucket.getServersList()));
    }

    private static AgeModel model(AdminProto.AgeModel proto) {
        return new AgeModel(
                proto.getA(),
                proto.getAlpha(),
                proto.getB(),
                proto.getC(),
                proto.getBeta(),
                proto.getError(),
                proto.getObservations(),
                proto.getAges(),
                proto.getSource());
    }
}
