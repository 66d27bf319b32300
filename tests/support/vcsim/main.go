// The vCenter that the tests of `howdah provision` run against: govmomi's own simulator with the hosts a
// test asks for. It writes its address and its certificate's file, and ends when its input is closed.
package main

import (
	"crypto/tls"
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/simulator/esx"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

var (
	hosts  = flag.String("hosts", "w1.example.com,w2.example.com", "names of the cluster's hosts")
	memory = flag.Int64("memory", 256, "GiB of memory of each host")
	cores  = flag.Int("cores", 20, "cores of each host, each of two threads, on two NUMA nodes")
	disks  = flag.Int("disks", 20, "data disks of each host, and as many datastores")
	folder = flag.String("folder", "", "where datastores are, and the certificate")
	mirror = flag.Bool("ft", false, "whether hosts say that they can carry Fault Tolerance")
	delay  = flag.Int("delay", 0, "milliseconds that each task takes, so that a test can stop in the middle")
)

// template is the simulator's, but its clones have the parameters that they are to be made with: the
// simulator itself copies them to a value that it throws away.
type template struct {
	*simulator.VirtualMachine
}

func (vm *template) CloneVMTask(ctx *simulator.Context, req *types.CloneVM_Task) soap.HasFault {
	task := simulator.CreateTask(vm.VirtualMachine, "cloneVm", func(*simulator.Task) (types.AnyType, types.BaseMethodFault) {
		answer := vm.VirtualMachine.CloneVMTask(ctx, req).(*methods.CloneVM_TaskBody)
		inner := ctx.Map.Get(answer.Res.Returnval).(*simulator.Task)
		inner.Wait()
		if inner.Info.Error != nil {
			return nil, inner.Info.Error.Fault.(types.BaseMethodFault)
		}
		clone := ctx.Map.Get(inner.Info.Result.(types.ManagedObjectReference)).(*simulator.VirtualMachine)
		spec := types.VirtualMachineConfigSpec{}
		if req.Spec.Config != nil {
			spec.ExtraConfig = req.Spec.Config.ExtraConfig
		}
		given := clone.ReconfigVMTask(ctx, &types.ReconfigVM_Task{This: clone.Self, Spec: spec})
		ctx.Map.Get(given.(*methods.ReconfigVM_TaskBody).Res.Returnval).(*simulator.Task).Wait()
		return clone.Self, nil
	})
	return &methods.CloneVM_TaskBody{Res: &types.CloneVM_TaskResponse{Returnval: task.Run(ctx)}}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	flag.Parse()
	names := strings.Split(*hosts, ",")
	model := simulator.VPX()
	model.Host, model.ClusterHost, model.Machine = 0, len(names), 1
	shape()
	must(model.Create())
	equip(model, names)
	simulator.TaskDelay.Delay = *delay

	model.Service.Listen = &url.URL{Host: "127.0.0.1:0", User: url.UserPassword("howdah", "right")}
	model.Service.TLS = new(tls.Config)
	server := model.Service.NewServer()
	certificate := filepath.Join(*folder, "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	must(os.WriteFile(certificate, block, 0o600))
	fmt.Println(server.URL.Host, certificate)
	_, _ = io.Copy(io.Discard, os.Stdin)
	server.Close()
}

// shape gives the simulator's pattern of a host its processors and memory, before hosts are made of it.
func shape() {
	bytes := *memory << 30
	summary, info := esx.HostSystem.Summary.Hardware, esx.HostHardwareInfo
	summary.MemorySize, info.MemorySize = bytes, bytes
	summary.NumCpuCores, info.CpuInfo.NumCpuCores = int16(*cores), int16(*cores)
	summary.NumCpuThreads, info.CpuInfo.NumCpuThreads = int16(2**cores), int16(2**cores)
	nodes := make([]types.HostNumaNode, 2)
	for number := range nodes {
		nodes[number] = types.HostNumaNode{TypeId: byte(number), MemoryRangeLength: bytes / 2}
		for cpu := number * *cores; cpu < (number+1)**cores; cpu++ {
			nodes[number].CpuID = append(nodes[number].CpuID, int16(cpu))
		}
	}
	info.NumaInfo = &types.HostNumaInfo{Type: "NUMA", NumNodes: 2, NumaNode: nodes}
}

// equip names the hosts and gives each its own disks and datastores, and makes a template of the one machine.
func equip(model *simulator.Model, names []string) {
	context := model.Service.Context
	for index, entity := range context.Map.All("HostSystem") {
		host := entity.(*simulator.HostSystem)
		host.Name, host.Summary.Config.Name = names[index], names[index]
		short, _, _ := strings.Cut(names[index], ".")
		host.Capability.FtSupported = mirror
		store := context.Map.Get(*host.ConfigManager.DatastoreSystem).(*simulator.HostDatastoreSystem)
		storage := host.Config.StorageDevice
		for number := 1; number <= *disks; number++ {
			id := fmt.Sprintf("naa.%s-%02d", short, number)
			disk := &types.HostScsiDisk{Capacity: types.HostDiskDimensionsLba{BlockSize: 512, Block: 600e9 / 512}}
			disk.CanonicalName, disk.LunType, disk.Uuid = id, "disk", "uuid-"+id
			disk.DeviceName = "/vmfs/devices/disks/" + id
			storage.ScsiLun = append(storage.ScsiLun, disk)
			name := fmt.Sprintf("%s-data-%02d", short, number)
			path := filepath.Join(*folder, name)
			must(os.MkdirAll(path, 0o700))
			store.CreateLocalDatastore(context, &types.CreateLocalDatastore{Name: name, Path: path})
		}
	}
	// The simulator makes custom attributes without their type, which pyVmomi refuses to read.
	fields := context.Map.CustomFieldsManager()
	fields.Field = append(fields.Field, types.CustomFieldDef{Key: 100, Name: "howdah", Type: "string"})
	for _, entity := range context.Map.All("VirtualMachine") {
		machine := entity.(*simulator.VirtualMachine)
		context.Map.Put(&template{machine})
		machine.Runtime.PowerState = types.VirtualMachinePowerStatePoweredOff
		machine.Summary.Runtime.PowerState = types.VirtualMachinePowerStatePoweredOff
		machine.Name, machine.Config.Name, machine.Config.Template = "debian-12", "debian-12", true
		machine.Summary.Config.Template = true
	}
}
