package io.uniserve.port.druid.sql;

import java.util.Map;
import org.apache.druid.server.security.Access;
import org.apache.druid.server.security.Authorizer;
import org.apache.druid.server.security.AuthorizerMapper;

/** Permission for everything: Uniserve itself decides who may query a table. */
final class OpenAuthorizers extends AuthorizerMapper {
    OpenAuthorizers() {
        super(Map.of());
    }

    @Override
    public Authorizer getAuthorizer(String name) {
        return (caller, resource, action) -> Access.OK;
    }
}
