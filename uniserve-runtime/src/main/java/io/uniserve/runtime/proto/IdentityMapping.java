package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import java.util.List;

/** Mapping of names and ids. */
public final class IdentityMapping {
    private IdentityMapping() {}

    static ModelProto.Address toProto(Address address) {
        return ModelProto.Address.newBuilder()
                .setHost(address.host())
                .setPort(address.port())
                .build();
    }

    static Address fromProto(ModelProto.Address address) {
        return new Address(ProtoValidator.identifier("host", address.getHost()), address.getPort());
    }

    public static ModelProto.ReplicaKey toProto(ReplicaKey key) {
        return ModelProto.ReplicaKey.newBuilder()
                .setTableId(key.tableId())
                .setActor(key.actor())
                .build();
    }

    public static ReplicaKey fromProto(ModelProto.ReplicaKey key) {
        return new ReplicaKey(
                ProtoValidator.notNegative("table_id", key.getTableId()), ProtoValidator.actor(key.getActor()));
    }

    public static ModelProto.RequestId toProto(RequestId id) {
        return ModelProto.RequestId.newBuilder()
                .setClientHigh(id.clientHigh())
                .setClientLow(id.clientLow())
                .setSequence(id.sequence())
                .build();
    }

    public static RequestId fromProto(ModelProto.RequestId id) {
        return new RequestId(
                id.getClientHigh(), id.getClientLow(), ProtoValidator.notNegative("sequence", id.getSequence()));
    }

    public static ServerId server(String id) {
        return new ServerId(ProtoValidator.text("server", id, Limits.NAME_LENGTH_MAX));
    }

    static List<String> texts(List<ServerId> servers) {
        return servers.stream().map(ServerId::value).toList();
    }

    static List<ServerId> servers(String field, List<String> ids) {
        return ProtoValidator.list(field, ids, Limits.SERVERS_MAX, IdentityMapping::server);
    }

    public static TableName table(String name) {
        return new TableName(name);
    }
}
