package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;

/** Mapping of the routing map for clients. */
public final class RoutingMapping {
    private RoutingMapping() {}

    /** Encodes the routing map. */
    public static ModelProto.Routing toProto(Routing routing) {
        ModelProto.Routing.Builder proto = ModelProto.Routing.newBuilder().setClusterId(routing.clusterId());
        routing.tables().forEach(table -> proto.addTables(toProto(table)));
        routing.servers().forEach(server -> proto.addServers(ServerMapping.toProto(server)));
        if (routing.coordinator() != null) {
            proto.setCoordinator(IdentityMapping.toProto(routing.coordinator()));
        }
        return proto.build();
    }

    /** Decodes the routing map. Fails with INVALID_ARGUMENT if it is malformed. */
    public static Routing fromProto(ModelProto.Routing proto) {
        return new Routing(
                ProtoValidator.identifier("cluster_id", proto.getClusterId()),
                ProtoValidator.list("tables", proto.getTablesList(), Limits.TABLES_MAX, RoutingMapping::fromProto),
                ProtoValidator.list("servers", proto.getServersList(), Limits.SERVERS_MAX, ServerMapping::fromProto),
                proto.hasCoordinator() ? IdentityMapping.fromProto(proto.getCoordinator()) : null);
    }

    static ModelProto.TableRoute toProto(TableRoute table) {
        return ModelProto.TableRoute.newBuilder()
                .setMeta(TableMapping.toProto(table.meta()))
                .setMap(TableMapMapping.toProto(table.map()))
                .setMapVersion(table.mapVersion())
                .build();
    }

    static TableRoute fromProto(ModelProto.TableRoute proto) {
        return new TableRoute(
                TableMapping.fromProto(proto.getMeta()),
                TableMapMapping.fromProto(proto.getMap()),
                proto.getMapVersion());
    }
}
