package engines;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.node.ClasspathNode;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.transport.netty4.Netty4Plugin;

/**
 * One Elasticsearch node in this JVM, with its plugins taken from the class path. It stops when its standard input ends, so that it does not
 * outlive the process that started it. Arguments: HTTP_PORT DATA_DIR
 */
public final class ElasticsearchLauncher {
    public static void main(String[] args) throws Exception {
        String http = args[0];
        Path data = Path.of(args[1]).toAbsolutePath();
        Files.createDirectories(data.resolve("config"));
        Files.createDirectories(data.resolve("data"));

        LogConfigurator.loadLog4jPlugins();
        LogConfigurator.configureESLogging();
        Configurator.setRootLevel(Level.WARN);

        Settings settings = Settings.builder()
            .put("path.home", data.toString())
            .put("path.data", data.resolve("data").toString())
            .put("cluster.name", "postil-elasticsearch")
            .put("node.name", "node-1")
            .put("network.host", "127.0.0.1")
            .put("http.port", http)
            // Nobody else connects to it: any free port.
            .put("transport.port", "0")
            .put("http.type", "netty4")
            .put("transport.type", "netty4")
            .put("discovery.type", "single-node")
            // The machine's disk may be nearly full, and a run of the tests makes more indexes than a node may have by default.
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .put("cluster.max_shards_per_node", 100_000)
            .build();
        Environment env = InternalSettingsPreparer.prepareEnvironment(
            settings, Collections.emptyMap(), data.resolve("config"), () -> "node-1");
        Node node = new ClasspathNode(env, List.of(Netty4Plugin.class, RootPlugin.class));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.close();
            } catch (Exception error) {
                error.printStackTrace();
            }
        }));
        node.start();
        while (System.in.read() >= 0) {
            // Nothing is written to it.
        }
        System.exit(0);
    }
}
