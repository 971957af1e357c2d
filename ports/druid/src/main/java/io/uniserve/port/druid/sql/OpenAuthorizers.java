package io.uniserve.port.druid.sql;

import java.util.Map;
import org.apache.druid.server.security.Access;
import org.apache.druid.server.security.Authorizer;
import org.apache.druid.server.security.AuthorizerMapper;

/** Authorizers that allow everything: Uniserve itself checks access to tables. */
final class OpenAuthorizers extends AuthorizerMapper {
    OpenAuthorizers() {
        super(Map.of());
    }

    @Override
    public Authorizer getAuthorizer(String name) {
        return (caller, resource, action) -> Access.OK;
    }
}
