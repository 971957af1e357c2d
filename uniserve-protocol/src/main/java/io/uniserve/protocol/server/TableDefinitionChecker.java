package io.uniserve.protocol.server;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.OnLoss;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.server.config.ServerConfig;

/** Check of a table's definition against the ports and settings of this server. */
final class TableDefinitionChecker {
    private TableDefinitionChecker() {}

    /** An acknowledgement, or the reason for the rejection. */
    static Outcome<PeerReply> check(ServerConfig config, TableMeta meta) {
        if (config.replicas().shippingNanos() == 0
                && (meta.needsDurableStorage() || meta.onLoss() == OnLoss.RESTORE_TABLE)) {
            String what = meta.needsDurableStorage() ? "durability REMOTE" : "onLoss RESTORE_TABLE";
            return Outcome.err(new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    what + " needs durable storage, and server " + config.id()
                            + " has none: set storage.location on all servers"));
        }
        for (PortInfo port : config.ports()) {
            if (port.name().equals(meta.port())) {
                return port.levels().contains(meta.level())
                        ? Outcome.ok(new PeerReply.Ack())
                        : Outcome.err(new UniserveException(
                                ErrorCode.UNSUPPORTED,
                                "port " + meta.port() + " does not support " + meta.level() + ": use one of "
                                        + port.levels()));
            }
        }
        return Outcome.err(
                new UniserveException(ErrorCode.UNKNOWN_PORT, "this server does not run port " + meta.port()));
    }
}
